import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { clientAddress } from "./client-address.ts";

const NOBODY = new Set<string>();
const PROXY = "10.0.0.5";
const PROXIES = new Set([PROXY, "10.0.0.6", "::1"]);

describe("where a request comes from", () => {
  test("is who connected, whatever they say, unless that is a proxy that was named", () => {
    assert.equal(clientAddress("203.0.113.9", undefined, NOBODY), "203.0.113.9");
    assert.equal(clientAddress("203.0.113.9", "198.51.100.1", PROXIES), "203.0.113.9");
    assert.equal(clientAddress(PROXY, "198.51.100.1", NOBODY), PROXY);
    assert.equal(clientAddress(undefined, "198.51.100.1", PROXIES), "unknown");
  });

  test("is what the named proxy says, and of several the first that is none of ours", () => {
    assert.equal(clientAddress(PROXY, "198.51.100.1", PROXIES), "198.51.100.1");
    assert.equal(clientAddress(`::ffff:${PROXY}`, "198.51.100.1", PROXIES), "198.51.100.1");
    assert.equal(clientAddress("::1", "2001:db8::7", PROXIES), "2001:db8::7");
    assert.equal(clientAddress(PROXY, "198.51.100.1, 10.0.0.6", PROXIES), "198.51.100.1");
  });

  test("is not what the client put in front of it", () => {
    assert.equal(clientAddress(PROXY, "127.0.0.1, 198.51.100.1", PROXIES), "198.51.100.1");
    assert.equal(clientAddress(PROXY, "10.0.0.6, 198.51.100.1", PROXIES), "198.51.100.1");
    fc.assert(
      fc.property(fc.string(), (made) => {
        assert.equal(clientAddress(PROXY, `${made},198.51.100.1`, PROXIES), "198.51.100.1");
        assert.equal(clientAddress("203.0.113.9", made, PROXIES), "203.0.113.9");
      }),
    );
  });

  test("is the proxy where it says nothing that is an address", () => {
    for (const said of [undefined, "", "unknown", "198.51.100.1:80", "<b>", "198.51.100.1, "])
      assert.equal(clientAddress(PROXY, said, PROXIES), PROXY, said);
  });
});
