import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { allowedOrigins, type BindRequest, checkBind } from "./bind-address.ts";

const here: BindRequest = { host: "127.0.0.1", hasTls: false, allowRemote: false, hasUsers: false };
const there: BindRequest = {
  host: "192.168.1.7",
  hasTls: true,
  allowRemote: false,
  hasUsers: true,
};

describe("where the server may listen", () => {
  test("on this machine always", () => {
    for (const host of ["127.0.0.1", "127.1.2.3", "localhost", "::1"])
      assert.doesNotThrow(() => checkBind({ ...here, host }), host);
  });

  test("beyond it only with people, and with TLS or where somebody said so", () => {
    assert.doesNotThrow(() => checkBind(there));
    assert.doesNotThrow(() => checkBind({ ...there, hasTls: false, allowRemote: true }));
    assert.throws(() => checkBind({ ...there, hasUsers: false }), {
      code: "bind_without_users",
      kind: "invalid",
      message: "Nobody could sign in at 192.168.1.7: no one has a password yet.",
      hint: "Invite at least one person first.",
    });
    assert.throws(() => checkBind({ ...there, hasTls: false }), {
      code: "bind_without_tls",
      message: "At 192.168.1.7 everything would travel in the clear.",
      hint: "Give a certificate and key, or say explicitly that a proxy with TLS stands in front.",
    });
  });

  test("names that only look like this machine's are others", () => {
    for (const host of [
      "127.0.0.1.evil.example",
      "x127.0.0.1",
      "127.0.0",
      "127.0.0.1000",
      "Localhost",
      "0.0.0.0",
      "",
    ])
      assert.throws(() => checkBind({ ...here, host }), { code: "bind_without_users" }, host);
  });

  test("on every address only under a name that people come by", () => {
    for (const host of ["0.0.0.0", "::", ""]) {
      assert.throws(() => checkBind({ ...there, host }), {
        code: "bind_without_name",
        message: `${host} means every address; under which name do people come?`,
        hint: "Give the public origin, e.g. https://work.example.org.",
      });
      assert.doesNotThrow(() =>
        checkBind({ ...there, host, publicOrigin: "https://work.example.org" }),
      );
    }
  });

  test("a public name makes this machine's own address as open as any other", () => {
    const publicOrigin = "https://work.example.org";

    assert.throws(() => checkBind({ ...here, publicOrigin }), { code: "bind_without_users" });
    assert.throws(() => checkBind({ ...here, publicOrigin, hasUsers: true }), {
      code: "bind_without_tls",
    });
    assert.doesNotThrow(() =>
      checkBind({ ...here, publicOrigin, hasUsers: true, allowRemote: true }),
    );
  });

  test("a public name is an origin, written as browsers write it", () => {
    for (const publicOrigin of ["https://work.example.org:8443", "http://x"])
      assert.doesNotThrow(() => checkBind({ ...there, publicOrigin }), publicOrigin);
    for (const publicOrigin of [
      "work.example.org",
      "https://Work.example.org",
      "https://x/",
      "https://x:443",
      "ftp://x",
      "",
    ])
      assert.throws(
        () => checkBind({ ...there, publicOrigin }),
        {
          code: "public_origin_invalid",
          message: `"${publicOrigin}" is not an origin.`,
          hint: "Write scheme and name, and the port if it is unusual: https://work.example.org",
        },
        publicOrigin,
      );
  });
});

describe("the names a server answers to", () => {
  test("are this machine's, each with its own origin", () => {
    assert.deepEqual(
      [...allowedOrigins({ host: "127.0.0.1", hasTls: false }, 4300)],
      [
        ["127.0.0.1:4300", "http://127.0.0.1:4300"],
        ["localhost:4300", "http://localhost:4300"],
        ["[::1]:4300", "http://[::1]:4300"],
      ],
    );
  });

  test("and the address it was given, unless that means every one", () => {
    const names = (host: string) => [...allowedOrigins({ host, hasTls: true }, 4300)].slice(3);

    assert.deepEqual(names("192.168.1.7"), [["192.168.1.7:4300", "https://192.168.1.7:4300"]]);
    assert.deepEqual(names("fe80::1"), [["[fe80::1]:4300", "https://[fe80::1]:4300"]]);
    for (const host of ["0.0.0.0", "::", "", "localhost", "127.9.9.9"])
      assert.deepEqual(names(host), []);
  });

  test("without the port where the scheme implies it", () => {
    const at = (hasTls: boolean, port: number) =>
      allowedOrigins({ host: "localhost", hasTls }, port).get("localhost");

    assert.deepEqual(
      [at(true, 443), at(false, 80), at(true, 80), at(false, 443)],
      ["https://localhost", "http://localhost", undefined, undefined],
    );
  });

  test("and the public one, as it was written", () => {
    const publicOrigin = "https://work.example.org:8443";
    const origins = allowedOrigins({ host: "0.0.0.0", hasTls: false, publicOrigin }, 80);

    assert.equal(origins.get("work.example.org:8443"), publicOrigin);
    assert.equal(origins.size, 7);
  });
});
