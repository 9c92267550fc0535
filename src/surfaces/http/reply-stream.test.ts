import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as z from "zod";
import { type ScratchServer, scratchServer } from "../../../tests/scratch/scratch-server.ts";
import { hashText } from "../../kernel/base/hash.ts";
import { defineContract } from "../../kernel/contract/contract.ts";
import { authenticateToken } from "../../kernel/operation/authenticate.ts";
import {
  appendDelta,
  deleteDeltas,
  insertAnswers,
  insertExchanges,
} from "../../kernel/run/exchanges.ts";
import { startRun } from "../../kernel/run/start-run.ts";
import { insertConversation } from "../../kernel/store/conversations.ts";
import { execute, queryFirst } from "../../kernel/store/database-work.ts";
import { appendMessages } from "../../kernel/store/messages.ts";
import { putProjectMember } from "../../kernel/store/project-members.ts";
import { insertProject } from "../../kernel/store/projects.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { insertRedaction } from "../../kernel/store/redactions.ts";
import { revokeToken } from "../../kernel/store/tokens.ts";

const contract = defineContract({ name: "trial", schema: z.object({ summary: z.string() }) });
const act = { actor: "admin", now: 1000 };
const SECRET = "the launch code is seven";

for (const dialect of ["sqlite", "postgres"] as const)
  describe(`replies as they arrive on ${dialect}`, () => {
    let server: ScratchServer;
    before(async () => {
      server = await scratchServer({ workspace: { dialect } });
      await server.kernel.store.write(function* () {
        for (const [id, visibility] of [
          ["open", "workspace"],
          ["closed", "private"],
        ] as const) {
          yield* insertProject({ id, name: id, ownerId: "admin", visibility }, act);
        }
        yield* putProjectMember({ projectId: "closed", userId: "reviewer", role: "viewer" }, act);
        yield* insertConversation(
          { id: "talk", title: "Talk", source: "test", projectIds: ["open"] },
          act,
        );
        const content = `Remember: ${SECRET}.`;
        const said = { id: "word", role: "user", position: 0, content } as const;
        yield* appendMessages("talk", [said], act);
        const span = { start: 10, end: 10 + SECRET.length };
        const reason = "secret";
        yield* insertRedaction(
          { id: "r", projectId: "open", messageId: "word", span, reason },
          act,
        );
      });
    });
    after(() => server.close());

    /** A call under way, and the ways it goes on, as the engine writes them. */
    async function call(projectId: string | null) {
      const { store, engine, ids } = server.kernel;
      const exchangeId = ids.next();
      const lease = await store.write(function* () {
        const job = { key: "a", handler: "trial.turn", input: {} };
        const runId = yield* startRun(
          engine,
          { method: "trial", title: "Trial", input: {}, jobs: [job] },
          { projectId, startedBy: "operator" },
          1000,
        );
        yield* execute(
          db
            .updateTable("job")
            .set({ state: "leased", worker: "w", fence: 1, lease_until: 9e12 })
            .where("run_id", "=", runId),
        );
        const row = yield* queryFirst(
          db.selectFrom("job").select("id").where("run_id", "=", runId),
        );
        const { id = "" } = row ?? {};
        const messages = [{ role: "user" as const, text: "Sum it up." }];
        const prompt = { messages, hash: hashText("x"), trace: null };
        yield* insertExchanges(
          [
            {
              id: exchangeId,
              runId,
              jobId: id,
              step: "answer",
              item: null,
              attempt: 1,
              continuation: 0,
              plan: { model: "rehearsal/default", prompt, contract },
              messages,
              reserved: { microUsd: 0, tokens: 0 },
            },
          ],
          1000,
        );
        return { id, fence: 1, runId };
      });
      return {
        exchangeId,
        receive: (text: string) => store.write(() => appendDelta(exchangeId, text, lease)),
        finish: (reply: string) =>
          store.write(function* () {
            yield* insertAnswers(
              [
                {
                  exchangeId,
                  runId: lease.runId,
                  outcome: "answered",
                  reply,
                  finish: "stop",
                  rawFinish: null,
                  reading: null,
                  failure: null,
                  inputTokens: 1,
                  outputTokens: 1,
                  cachedTokens: null,
                  costMicroUsd: 0,
                  isCostEstimated: false,
                },
              ],
              2000,
            );
            yield* deleteDeltas([exchangeId]);
          }),
      };
    }

    test("a reply comes in pieces that fit together, then its end, and the stream is over", async () => {
      const one = await call("open");
      const other = await call(null);
      const reading = follow(server, `${one.exchangeId},${other.exchangeId}`);
      await one.receive("Leases, ");
      await reading.until((seen) => seen.length >= 1);
      await one.receive("not locks: 🐙 ");
      await other.receive("Elsewhere.");
      await reading.until((seen) => seen.length >= 3);
      await one.finish("Leases, not locks: 🐙 they run out.");
      await other.finish("Elsewhere.");

      const seen = await reading.end;

      assert.equal(textOf(seen, one.exchangeId), "Leases, not locks: 🐙 they run out.");
      assert.equal(textOf(seen, other.exchangeId), "Elsewhere.");
      assert.deepEqual(
        seen.filter(({ event }) => event === "exchange.finished").map(({ data }) => data.outcome),
        ["answered", "answered"],
      );
      let next = 0;
      for (const { data } of seen.filter(
        ({ event, data: piece }) =>
          event === "exchange.progressed" && piece.exchangeId === one.exchangeId,
      )) {
        assert.equal(data.offset, next);
        next = data.next ?? 0;
      }
    });

    test("a reader that comes back with its place gets the rest, before the end and after it", async () => {
      const { exchangeId, receive, finish } = await call("open");
      await receive("One two ");
      const first = follow(server, exchangeId);
      const [{ data: piece } = NONE] = await first.until((seen) => seen.length >= 1);
      first.leave();
      await receive("three ");

      const second = follow(server, `${exchangeId}:${piece.next}`);
      await second.until((seen) => textOf(seen, exchangeId) === "three ");
      second.leave();
      await finish("One two three four");

      assert.equal(piece.text, "One two ");
      const late = await follow(server, `${exchangeId}:14`).end;
      assert.equal(textOf(late, exchangeId), "four");
      const whole = await follow(server, exchangeId).end;
      assert.equal(textOf(whole, exchangeId), "One two three four");
      const beyond = await follow(server, `${exchangeId}:999`).end;
      assert.deepEqual(
        beyond.map(({ event }) => event),
        ["exchange.finished"],
      );
    });

    test("a redacted passage is not shown, not even its beginning while it arrives", async () => {
      const { exchangeId, receive, finish } = await call("open");
      const reading = follow(server, exchangeId);
      await receive("They say The  launch");
      await reading.until((seen) => textOf(seen, exchangeId) === "They say ");
      await receive(" code is seven, and that the launch");
      await reading.until((seen) => textOf(seen, exchangeId).endsWith("and that "));
      await finish("They say The  launch code is seven, and that the launch was fine.");

      const seen = await reading.end;

      assert.equal(textOf(seen, exchangeId), "They say [redacted], and that the launch was fine.");
      assert.ok(!JSON.stringify(seen).includes("seven"));
    });

    test("is for those who may read the exchange, for as long as they may", async () => {
      const { exchangeId, receive } = await call("closed");
      const statusOf = async (who: "viewer" | "reviewer" | "operator") => {
        const token = await server.token(who);
        return (await server.fetch(pathOf(exchangeId), { token })).status;
      };

      assert.deepEqual(
        [await statusOf("viewer"), await statusOf("reviewer"), await statusOf("operator")],
        [403, 403, 404],
      );
      const token = await server.token("admin");
      const narrow = await server.token("admin", ["read"]);
      assert.equal((await server.fetch(pathOf(exchangeId), { token: narrow })).status, 403);
      const reading = follow(server, exchangeId, token);
      await receive("Seen. ");
      await reading.until((seen) => seen.length >= 1);
      const { credential } = await authenticateToken(server.kernel, token);
      await server.kernel.store.write(() =>
        revokeToken(credential.id, { actor: "admin", now: Date.now() }),
      );
      await reading.end;
      await receive("Unseen.");
      assert.equal(textOf(await reading.end, exchangeId), "Seen. ");
    });

    test("is refused for what names no exchange", async () => {
      const { exchangeId } = await call("open");
      const codeOf = async (query: string) => {
        const response = await server.fetch(`/api/v1/replies${query}`);
        return [response.status, ((await response.json()) as { code: string }).code];
      };
      const many = Array.from({ length: 21 }, () => exchangeId).join(",");

      assert.deepEqual(await codeOf(""), [400, "exchanges_invalid"]);
      assert.deepEqual(await codeOf("?exchanges=,"), [400, "exchanges_invalid"]);
      assert.deepEqual(await codeOf(`?exchanges=${exchangeId}:-1`), [400, "exchanges_invalid"]);
      assert.deepEqual(await codeOf(`?exchanges=${exchangeId}:x`), [400, "exchanges_invalid"]);
      assert.deepEqual(await codeOf(`?exchanges=${many}`), [400, "exchanges_invalid"]);
      assert.deepEqual(await codeOf("?exchanges=nobody"), [404, "exchange_not_found"]);
    });
  });

interface Seen {
  readonly event: string;
  readonly data: {
    readonly exchangeId: string;
    readonly offset?: number;
    readonly text?: string;
    readonly next?: number;
    readonly outcome?: string;
  };
}

const NONE: Seen = { event: "", data: { exchangeId: "" } };

function pathOf(exchanges: string): string {
  return `/api/v1/replies?exchanges=${exchanges}`;
}

function textOf(seen: readonly Seen[], exchangeId: string): string {
  return seen
    .filter(({ data }) => data.exchangeId === exchangeId)
    .map(({ data }) => data.text ?? "")
    .join("");
}

function follow(server: ScratchServer, exchanges: string, token?: string) {
  const going = new AbortController();
  const seen: Seen[] = [];
  const read = async (): Promise<readonly Seen[]> => {
    const response = await server.fetch(pathOf(exchanges), {
      ...(token === undefined ? {} : { token }),
      signal: going.signal,
    });
    assert.equal(response.status, 200);
    let text = "";
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const found = /^event: (.*)\ndata: (.*)$/m.exec(block);
        if (found) seen.push({ event: found[1] ?? "", data: JSON.parse(found[2] ?? "") });
      }
    }
    return seen;
  };
  const end = read();
  end.catch(() => undefined);
  return {
    end,
    leave: () => going.abort(),
    async until(isSo: (so: readonly Seen[]) => boolean): Promise<readonly Seen[]> {
      const giveUpAt = performance.now() + 10_000;
      while (!isSo(seen)) {
        assert.ok(performance.now() < giveUpAt, `only ${JSON.stringify(seen)}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return seen;
    },
  };
}
