/**
 * Builds the program as it is published: types taken out of `src/`, and a library of some hundred files put into one.
 * Loading a file costs a command 0.3 ms, whatever is in it; nearly all of Kysely's 255 are loaded by any use of it.
 *
 *   node build-program.ts [folder]
 */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";

const ROOT = import.meta.dirname;
const LIBRARY = "kysely";
const ENTRY = "names-in-use";

export async function buildProgram(folder: string): Promise<void> {
  const tsc = path.join(ROOT, "node_modules", ".bin", "tsc");
  execFileSync(tsc, ["-p", "tsconfig.build.json", "--outDir", folder], {
    cwd: ROOT,
    stdio: "inherit",
  });
  const bundle = path.join(folder, "libraries", `${LIBRARY}.js`);
  const names = new Set<string>();
  for (const file of scriptsIn(folder)) {
    const code = readFileSync(file, "utf8");
    const address = path.relative(path.dirname(file), bundle).replaceAll(path.sep, "/");
    const redirected = code.replaceAll(IMPORT, (_, list: string) => {
      for (const name of list.split(",")) if (name.trim() !== "") names.add(name.trim());
      return `import {${list}} from "${address.startsWith(".") ? address : `./${address}`}"`;
    });
    if (redirected === code) continue;
    if (redirected.includes(`from "${LIBRARY}"`)) throw new Error(`${file}: import names.`);
    writeFileSync(file, redirected);
  }
  await writeBundle(bundle, [...names].toSorted());
}

/** What this program uses of the library, and its licence. */
async function writeBundle(file: string, names: readonly string[]): Promise<void> {
  const program = await rolldown({
    input: ENTRY,
    platform: "node",
    plugins: [
      {
        name: ENTRY,
        resolveId: (id, importer) => {
          if (id === ENTRY) return ENTRY;
          return importer === ENTRY ? import.meta.resolve(id).slice("file://".length) : null;
        },
        load: (id) => (id === ENTRY ? `export { ${names.join(", ")} } from "${LIBRARY}";` : null),
      },
    ],
  });
  const licence = readFileSync(path.join(ROOT, "node_modules", LIBRARY, "LICENSE"), "utf8");
  await program.write({ file, format: "esm", banner: `/*! ${LIBRARY}\n\n${licence.trim()}\n*/` });
  await program.close();
}

const IMPORT = new RegExp(`import \\{([^}]*)\\} from "${LIBRARY}"`, "g");

function scriptsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".js"))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

if (import.meta.main) {
  await buildProgram(path.resolve(ROOT, process.argv[2] ?? "dist"));
}
