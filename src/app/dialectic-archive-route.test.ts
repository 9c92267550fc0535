import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, openEverything } from "../../tests/proof/every-operation.ts";
import type { Caller } from "../kernel/operation/caller.ts";
import { dialecticArchiveRoute } from "./dialectic-archive-route.ts";

test("an archive has a name of ours, whatever the dialectic is called and the request says", async (t) => {
  const everything = await openEverything();
  t.after(() => everything.kernel.remove());
  const route = dialecticArchiveRoute((name, caller: Caller, input) =>
    everything.as(caller, name, input as object),
  );
  const who = { caller: ADMIN, credential: { kind: "token" as const, id: "test" } };
  const { runId } = await everything.as<{ runId: string }>(ADMIN, "dialectic.start", {
    request: 'An "archive"\r\nX-Owned: 1; filename=../../owned.sh',
  });
  const answer = (query: string) =>
    route.handle(
      new Request(`http://here/api/archives/dialectic?${query}`, { method: "POST" }),
      who,
      () => undefined,
    );

  const { headers, body } = await answer(`session=${runId}&filename=..%2Fowned.sh`);
  await body?.cancel();
  assert.equal(headers.get("content-type"), "application/zip");
  assert.equal(headers.get("content-disposition"), `attachment; filename="dialectic-${runId}.zip"`);
  for (const session of ["../../etc/passwd", '"; filename="x', "%00"])
    await assert.rejects(answer(`session=${encodeURIComponent(session)}`), {
      code: "run_not_found",
    });
});
