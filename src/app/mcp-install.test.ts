import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { scratchFolder } from "../../tests/scratch/program.ts";
import { CLIENT_NAMES, clientOf } from "./mcp-clients.ts";
import { planInstall, planUninstall } from "./mcp-install.ts";

const choice = { profile: "core", readOnly: false } as const;

describe("telling a client of the workspace", () => {
  const home = mkdtempSync(path.join(tmpdir(), "throughline-clients-"));
  const { HOME, XDG_CONFIG_HOME } = process.env;
  const folder = path.join(home, "work", ".throughline");
  before(() => {
    process.env["HOME"] = home;
    delete process.env["XDG_CONFIG_HOME"];
    mkdirSync(folder, { recursive: true });
  });
  after(() => {
    process.env["HOME"] = HOME;
    if (XDG_CONFIG_HOME !== undefined) process.env["XDG_CONFIG_HOME"] = XDG_CONFIG_HOME;
    rmSync(home, { recursive: true });
  });

  for (const name of CLIENT_NAMES) {
    const client = clientOf(name);

    test(`${client.title}: a file that was not there is made, and is gone again`, () => {
      const install = planInstall(name, { folder, ...choice });
      assert.ok(install.isNeeded);
      install.carryOut();
      const written = readFileSync(install.file, "utf8");

      assert.match(written, /throughline/);
      assert.match(written, /"-C"/);
      assert.ok(
        !planInstall(name, { folder, ...choice }).isNeeded,
        "a second time changes nothing",
      );
      planUninstall(name, { folder }).carryOut();
      assert.ok(!existsSync(install.file));
      assert.ok(!planUninstall(name, { folder }).isNeeded);
    });

    test(`${client.title}: what stood in the file stays, is kept beside it, and comes back byte for byte`, () => {
      const file = client.file(path.dirname(folder));
      const text =
        client.format === "toml"
          ? '# mine\nmodel = "gpt-6"\n\n[mcp_servers.other]\ncommand = "other"\n'
          : `{\n  // mine\n  "theme": "dark",\n  "${client.key}": {\n    "other": { "command": "other", "args": ["x"] }\n  }\n}\n`;
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
      const install = planInstall(name, { folder, ...choice });
      assert.match(install.diff, /^\+ /m);
      install.carryOut();
      const changed = readFileSync(file, "utf8");

      assert.match(changed, /mine/);
      assert.match(changed, /other/);
      assert.equal(readFileSync(`${file}.throughline-backup`, "utf8"), text);
      planUninstall(name, { folder }).carryOut();
      assert.equal(readFileSync(file, "utf8"), text);
      assert.deepEqual(
        readdirSync(path.dirname(file)).filter((each) => /backup|new/.test(each)),
        [],
      );
      rmSync(file);
    });
  }

  test("what others changed since is kept when the entry is taken out", () => {
    const file = clientOf("cursor").file(path.dirname(folder));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '{\n  "mcpServers": {}\n}\n');
    planInstall("cursor", { folder, ...choice }).carryOut();
    const since = readFileSync(file, "utf8").replace(
      '"mcpServers": {',
      '"mcpServers": {\n    "later": { "command": "later" },',
    );
    writeFileSync(file, since);
    planUninstall("cursor", { folder }).carryOut();
    const left = readFileSync(file, "utf8");

    assert.match(left, /later/);
    assert.doesNotMatch(left, /throughline/);
    rmSync(file);
  });

  test("a file that cannot be read is refused and left alone; a link stays a link", () => {
    const file = clientOf("vscode").file(path.dirname(folder));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '{ "servers": [broken');
    assert.throws(() => planInstall("vscode", { folder, ...choice }), {
      code: "client_settings_invalid",
    });
    assert.equal(readFileSync(file, "utf8"), '{ "servers": [broken');
    rmSync(file);
    const real = path.join(home, "dotfiles.json");
    writeFileSync(real, "{}\n");
    symlinkSync(real, file);
    planInstall("vscode", { folder, ...choice }).carryOut();

    assert.ok(lstatSync(file).isSymbolicLink());
    assert.match(readFileSync(real, "utf8"), /throughline/);
  });
});

describe("the command", () => {
  const home = scratchFolder();
  before(() => home.run(["init"]));
  after(() => home.remove());

  test("shows the change and asks; --dry-run writes nothing; --yes writes; uninstall takes it back", async () => {
    const file = path.join(home.folder, ".mcp.json");
    const asked = await home.run(["mcp", "install", "claude-code"]);
    assert.equal(asked.code, 2, asked.stderr);
    assert.match(asked.stderr, /\+ {5}"throughline": \{/);
    assert.match(asked.stderr, /Add --yes/);
    const dry = await home.run(["mcp", "install", "claude-code", "--dry-run"]);
    assert.equal(dry.code, 0, dry.stderr);
    assert.ok(!existsSync(file));
    const done = await home.run(["mcp", "install", "claude-code", "--yes", "--profile", "full"]);
    assert.equal(done.code, 0, done.stderr);
    const { mcpServers } = JSON.parse(readFileSync(file, "utf8")) as {
      mcpServers: { throughline: { command: string; args: readonly string[] } };
    };

    assert.equal(mcpServers.throughline.command, process.execPath);
    assert.deepEqual(mcpServers.throughline.args.slice(-3), ["mcp", "--profile", "full"]);
    assert.equal((await home.run(["mcp", "uninstall", "claude-code", "--yes"])).code, 0);
    assert.ok(!existsSync(file));
  });
});
