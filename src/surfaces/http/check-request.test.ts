/** The guard alone, without a server: every refusal with its reason, and what is just allowed. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import {
  checkRequest,
  type GuardPolicy,
  MAX_JSON_BYTES,
  type Refusal,
  readCookies,
} from "./request-guard.ts";

const policy: GuardPolicy = {
  origins: new Map([
    ["127.0.0.1:4300", "http://127.0.0.1:4300"],
    ["localhost:4300", "http://localhost:4300"],
  ]),
  cookieNames: ["__Host-x-login", "x-login"],
  doors: new Map([["/hooks/", 1000]]),
};

interface Sent {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

function check({ method = "GET", target = "/", headers = {} }: Sent): Refusal | undefined {
  const all = { host: "127.0.0.1:4300", ...headers };
  const given = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat()] as const],
  );
  return checkRequest({ method, target, headers: new Map(given) }, policy);
}

const JSON_BODY = { "content-type": "application/json", "content-length": "2" };
const OWN_PAGE = { origin: "http://127.0.0.1:4300", "sec-fetch-site": "same-origin", "x-app": "1" };
const COOKIE = { cookie: "x-login=abc" };
const BEARER = { authorization: "Bearer abc" };

function write(headers: Sent["headers"], more: Sent = {}): Refusal | undefined {
  return check({
    method: "POST",
    target: "/api/v1/note/add",
    headers: { ...JSON_BODY, ...headers },
    ...more,
  });
}

const said = (refusal: Refusal | undefined) =>
  refusal === undefined ? "let in" : `${refusal.status} ${refusal.code}: ${refusal.message}`;

const FOREIGN_SITE = "403 foreign_site: Pages of other sites may not use this server.";

describe("the form of a request", () => {
  test("an address is a plain path, without backslashes, fragments and hidden slashes", () => {
    const plain = "400 target_invalid: The request's address is not a plain path.";

    for (const target of [
      "",
      "api",
      "*",
      "http://127.0.0.1:4300/",
      "//evil",
      "/a\\b",
      "/a#b",
      "/%2f",
      "/%5C",
      "/a%00",
    ])
      assert.equal(said(check({ target })), plain, target);
    for (const target of ["/", "/a/b", "/a?b=%2f#\\", "/%20", "/a//b"])
      assert.equal(check({ target }), undefined, target);
  });

  test("an address has at most 8 KiB, counted in bytes", () => {
    assert.equal(check({ target: `/${"x".repeat(8191)}` }), undefined);
    assert.equal(
      said(check({ target: `/${"x".repeat(8192)}` })),
      "414 target_too_long: An address has at most 8192 bytes.",
    );
    assert.equal(check({ target: `/${"é".repeat(4096)}` })?.status, 414);
  });

  test("only the methods that are used here are let in, and others are named harmlessly", () => {
    assert.equal(check({ method: "HEAD" }), undefined);
    assert.equal(
      said(check({ method: "PATCH" })),
      "405 method_not_allowed: The method PATCH is not used here.",
    );
    assert.equal(
      said(check({ method: "<b>-1 and-more-than-twenty" })),
      "405 method_not_allowed: The method ?b?-1?and-more-than- is not used here.",
    );
    for (const method of ["OPTIONS", "TRACE", "CONNECT", "get"])
      assert.equal(check({ method })?.status, 405, method);
  });

  test("a header that decides something is sent once", () => {
    for (const name of [
      "host",
      "origin",
      "sec-fetch-site",
      "sec-fetch-mode",
      "content-type",
      "content-length",
      "authorization",
      "idempotency-key",
      "if-match",
      "last-event-id",
      "x-app",
    ]) {
      const twice = said(check({ headers: { [name]: ["a", "b"] } }));
      assert.equal(twice, `400 header_repeated: The header ${name} may be sent only once.`);
    }
    assert.equal(check({ headers: { accept: ["a", "b"], cookie: ["a=1", "b=2"] } }), undefined);
  });
});

describe("who a request is for and from", () => {
  test("only the names that are served are answered to", () => {
    const unserved = "421 host_not_served: This server does not answer to that host name.";

    assert.equal(check({ headers: { host: "localhost:4300" } }), undefined);
    for (const host of ["127.0.0.1", "evil:4300", "LOCALHOST:4300", "", undefined])
      assert.equal(said(check({ headers: { host } })), unserved, host);
  });

  test("a page asks only its own origin, by the name it was opened under", () => {
    const refused = "403 origin_refused: Pages of other origins may not use this server.";

    assert.equal(check({ headers: { origin: "http://127.0.0.1:4300" } }), undefined);
    for (const origin of ["http://localhost:4300", "https://127.0.0.1:4300", "null", "http://evil"])
      assert.equal(said(check({ headers: { origin } })), refused, origin);
  });

  test("another site may only link to pages, and read nothing", () => {
    const from = (site: string, mode: string, target: string, method = "GET") =>
      said(check({ method, target, headers: { "sec-fetch-site": site, "sec-fetch-mode": mode } }));

    for (const site of ["same-origin", "none"])
      assert.equal(from(site, "cors", "/api/v1/x"), "let in");
    for (const site of ["same-site", "cross-site", "SAME-ORIGIN", ""]) {
      assert.equal(from(site, "navigate", "/docs/"), "let in");
      assert.equal(from(site, "navigate", "/docs/", "HEAD"), "let in");
      assert.equal(from(site, "no-cors", "/docs/"), FOREIGN_SITE);
      assert.equal(from(site, "navigate", "/api/v1/x"), FOREIGN_SITE);
    }
  });
});

describe("what changes something", () => {
  test("comes from our own page, which says so, or from a program with a token", () => {
    const cases: [Sent["headers"], string][] = [
      [{ ...OWN_PAGE, ...COOKIE }, "let in"],
      [{ ...OWN_PAGE }, "let in"],
      [{ "sec-fetch-site": "same-origin", "x-app": "1" }, "let in"],
      [{ origin: "http://127.0.0.1:4300", "x-app": "1" }, "let in"],
      [{ ...BEARER }, "let in"],
      [{ ...BEARER, "sec-fetch-site": "same-origin" }, "let in"],
      [{ ...BEARER, "sec-fetch-site": "cross-site" }, FOREIGN_SITE],
      [{ ...OWN_PAGE, "sec-fetch-site": "none" }, FOREIGN_SITE],
      [{ ...OWN_PAGE, "sec-fetch-site": "same-site" }, FOREIGN_SITE],
      [{ ...BEARER, ...COOKIE }, "401 credentials_ambiguous: Send a token or a login, not both."],
      [{ ...COOKIE }, "403 origin_missing: A login is used from the page it was made in."],
      [{}, "401 unauthenticated: Sign in first, or send a token."],
      [{ cookie: "other=1" }, "401 unauthenticated: Sign in first, or send a token."],
      [
        { ...OWN_PAGE, "x-app": undefined },
        '403 app_header_missing: A page must send "x-app: 1" with changes.',
      ],
      [
        { ...OWN_PAGE, "x-app": "2" },
        '403 app_header_missing: A page must send "x-app: 1" with changes.',
      ],
    ];

    for (const [headers, wanted] of cases)
      for (const method of ["POST", "PUT", "DELETE"])
        assert.equal(
          said(write(headers, { method })),
          wanted,
          `${method} ${JSON.stringify(headers)}`,
        );
  });

  test("is JSON in plain UTF-8, and not compressed", () => {
    const wanted = "415 content_type_refused: Send the body as application/json.";

    for (const type of [
      "application/json",
      "Application/JSON ; charset=UTF-8",
      'application/json;charset="utf-8"',
    ])
      assert.equal(write({ ...BEARER, "content-type": type }), undefined, type);
    for (const type of [
      undefined,
      "",
      "text/plain",
      "application/jsonx",
      "application/json; charset=utf-16",
      "application/json; x charset=utf-8",
      "application/json; charset=utf-8x",
      "application/json; charset=utf-8; boundary=x",
    ])
      assert.equal(said(write({ ...BEARER, "content-type": type })), wanted, type);
    assert.equal(
      said(write({ ...BEARER, "content-encoding": "gzip" })),
      "415 encoding_refused: Request bodies are sent as they are, not compressed.",
    );
  });

  test("has at most four megabytes", () => {
    assert.equal(MAX_JSON_BYTES, 4_194_304);
    assert.equal(write({ ...BEARER, "content-length": "4194304" }), undefined);
    assert.equal(write({ ...BEARER, "content-length": undefined }), undefined);
    assert.equal(
      said(write({ ...BEARER, "content-length": "4194305" })),
      "413 body_too_large: A JSON body has at most 4194304 bytes.",
    );
  });

  test("without a body only where something is deleted", () => {
    const empty = { ...BEARER, "content-type": undefined, "content-length": undefined };

    assert.equal(write(empty, { method: "DELETE" }), undefined);
    assert.equal(write({ ...empty, "content-length": "0" }, { method: "DELETE" }), undefined);
    assert.equal(write({ ...empty, "content-length": "1" }, { method: "DELETE" })?.status, 415);
    assert.equal(
      write({ ...empty, "transfer-encoding": "chunked" }, { method: "DELETE" })?.status,
      415,
    );
    assert.equal(write(empty)?.status, 415);
    assert.equal(write(empty, { method: "PUT" })?.status, 415);
  });

  test("is bytes of any length where they are uploaded", () => {
    const bytes = {
      ...BEARER,
      "content-type": "application/octet-stream",
      "content-length": "99999999",
    };
    const upload = { method: "PUT", target: "/api/v1/uploads/u1" };

    assert.equal(write(bytes, upload), undefined);
    assert.equal(
      said(write({ ...bytes, "content-type": "application/json" }, upload)),
      "415 content_type_refused: Send the body as application/octet-stream.",
    );
    assert.equal(write(bytes, { ...upload, method: "POST" })?.status, 415);
    assert.equal(write(bytes, { ...upload, target: "/api/v1/note/uploads/" })?.status, 415);
  });
});

describe("a door for programs that sign what they send", () => {
  const door = { target: "/hooks/team" };

  test("needs nobody's rights, and is closed to every page", () => {
    const refused = "403 page_refused: Only programs send something here.";

    assert.equal(write({}, door), undefined);
    assert.equal(write({ ...BEARER }, door), undefined);
    for (const page of [
      { origin: "http://127.0.0.1:4300" },
      { "sec-fetch-site": "same-origin" },
      COOKIE,
      { cookie: "__Host-x-login=1" },
    ])
      assert.equal(said(write(page, door)), refused, JSON.stringify(page));
  });

  test("has a limit of its own, is JSON as everywhere, and only for what is posted there", () => {
    assert.equal(write({ "content-length": "1000" }, door), undefined);
    assert.equal(
      said(write({ "content-length": "1001" }, door)),
      "413 body_too_large: A JSON body has at most 1000 bytes.",
    );
    assert.equal(write({ "content-type": "text/plain" }, door)?.status, 415);
    assert.equal(write({}, { ...door, method: "PUT" })?.code, "unauthenticated");
    assert.equal(write({}, { target: "/api/hooks/" })?.code, "unauthenticated");
  });
});

describe("the cookies of a request", () => {
  const read = (...lines: readonly string[]) => [...readCookies(new Map([["cookie", lines]]))];

  test("are read from all lines, and the first of a name counts", () => {
    assert.deepEqual(read(" a=1; b = x=y ;a=2", "c=; b=3"), [
      ["a", "1"],
      ["b", "x=y"],
      ["c", ""],
    ]);
    assert.deepEqual(read("=1; novalue; ;"), []);
    assert.deepEqual([...readCookies(new Map())], []);
  });
});

test("whatever is sent with a login's cookie changes something only from our own page", () => {
  const maybe = <Value>(...values: readonly Value[]) => fc.constantFrom(undefined, ...values);
  const headers = fc.record({
    origin: maybe("http://127.0.0.1:4300", "http://localhost:4300", "null", "http://evil"),
    "sec-fetch-site": maybe("same-origin", "same-site", "cross-site", "none"),
    "x-app": maybe("1", "0"),
    authorization: maybe("Bearer abc"),
    "content-type": maybe("application/json", "text/plain"),
  });
  fc.assert(
    fc.property(headers, fc.constantFrom("POST", "PUT", "DELETE"), (given, method) => {
      if (write({ ...given, ...COOKIE }, { method }) !== undefined) return;
      assert.equal(given["x-app"], "1");
      assert.equal(given.authorization, undefined);
      assert.ok(
        given.origin === "http://127.0.0.1:4300" || given["sec-fetch-site"] === "same-origin",
      );
      assert.ok(given.origin === undefined || given.origin === "http://127.0.0.1:4300");
    }),
    { numRuns: 500 },
  );
});
