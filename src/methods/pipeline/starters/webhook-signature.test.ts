import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, test } from "node:test";
import fc from "fast-check";
import { proveDelivery, secretText } from "./webhook-signature.ts";

const NOW = Date.UTC(2026, 10, 18, 12);
const SECRET = secretText(Buffer.alloc(32, 7));
const OTHER = secretText(Buffer.alloc(32, 8));

function message(body: string | Uint8Array, headers: Readonly<Record<string, string>>) {
  return { body: Buffer.from(body), header: (name: string) => headers[name] };
}

/** As any library for Standard Webhooks signs. */
function sign(body: string, { id = "msg_1", at = NOW / 1000, secret = SECRET } = {}) {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(at),
    "webhook-signature": `v1,${signature}`,
  };
}

function signLikeGitHub(body: string, secret = SECRET) {
  const hex = createHmac("sha256", secret).update(body).digest("hex");
  return { "x-hub-signature-256": `sha256=${hex}` };
}

describe("signatures of webhooks", () => {
  test("agree with the example of the Standard Webhooks specification", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const given = message('{"test": 2432232314}', {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });

    assert.deepEqual(proveDelivery(given, [secret], 1614265330_000), {
      deliveryId: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    });
  });

  test("agree with the example that GitHub documents", () => {
    const given = message("Hello, World!", {
      "x-hub-signature-256":
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
      "x-github-event": "push",
    });

    const proof = proveDelivery(given, ["It's a Secret to Everybody"], NOW);

    assert.equal(proof?.event, "push");
    assert.match(proof?.deliveryId ?? "", /^github-757107ea/);
  });

  test("are good for five minutes, to both sides", () => {
    for (const seconds of [-301, -300, 0, 300, 301]) {
      const given = message("{}", sign("{}", { at: NOW / 1000 + seconds }));
      const isGood = proveDelivery(given, [SECRET], NOW) !== undefined;
      assert.equal(isGood, Math.abs(seconds) <= 300, `${seconds} s`);
    }
  });

  test("may be several, of which one is right, and may be made with an older secret that still counts", () => {
    const right = sign("{}");
    const wrong = sign("{}", { secret: OTHER });
    const both = `v1a,abc ${wrong["webhook-signature"]} ${right["webhook-signature"]}`;

    assert.ok(proveDelivery(message("{}", { ...right, "webhook-signature": both }), [SECRET], NOW));
    assert.ok(proveDelivery(message("{}", wrong), [SECRET, OTHER], NOW));
    assert.equal(proveDelivery(message("{}", wrong), [SECRET], NOW), undefined);
  });

  test("prove nothing when anything is missing, doubled, shortened or of another kind", () => {
    const right = sign("{}");
    const signature = right["webhook-signature"];
    const github = signLikeGitHub("{}")["x-hub-signature-256"];
    const cases: readonly Record<string, string>[] = [
      {},
      { "webhook-signature": signature },
      { ...right, "webhook-id": "" },
      { ...right, "webhook-id": "msg_2" },
      { ...right, "webhook-timestamp": "" },
      { ...right, "webhook-timestamp": `${NOW / 1000}.0` },
      { ...right, "webhook-timestamp": "1e9" },
      { ...right, "webhook-timestamp": `${NOW / 1000}, ${NOW / 1000}` },
      { ...right, "webhook-signature": "" },
      { ...right, "webhook-signature": "v1," },
      { ...right, "webhook-signature": signature.slice(0, -4) },
      { ...right, "webhook-signature": signature.replace("v1,", "v2,") },
      { ...right, ...sign("{}", { id: "a.b" }) },
      { "x-hub-signature-256": "" },
      { "x-hub-signature-256": github.toUpperCase() },
      { "x-hub-signature-256": github.slice(0, -2) },
      { "x-hub-signature": github },
      // A good signature of one kind does not make up for a bad one of the other.
      { ...right, "webhook-id": "msg_2", "x-hub-signature-256": github },
    ];

    for (const headers of cases) {
      const proof = proveDelivery(message("{}", headers), [SECRET], NOW);
      assert.equal(proof, undefined, JSON.stringify(headers));
    }
  });

  test("no change of a single byte goes unnoticed, and a body of any bytes can be signed", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), (bytes, at) => {
        const key = Buffer.from(SECRET.slice("whsec_".length), "base64");
        const head = `m.${NOW / 1000}.`;
        const good = createHmac("sha256", key).update(head).update(bytes).digest("base64");
        const headers = { ...sign(""), "webhook-id": "m", "webhook-signature": `v1,${good}` };
        const changed = Uint8Array.from(bytes);
        changed[at % bytes.length] = ((changed[at % bytes.length] ?? 0) + 1) % 256;

        assert.ok(proveDelivery(message(bytes, headers), [SECRET], NOW));
        assert.equal(proveDelivery(message(changed, headers), [SECRET], NOW), undefined);
      }),
    );
  });
});
