import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Layout, layOut } from "./layout.ts";

const node = (id: string) => ({ id, width: 160, height: 46 });
const edge = (source: string, target: string, hasLabel = false) => ({ source, target, hasLabel });

function overlaps({ nodes }: Layout): string[] {
  const found: string[] = [];
  for (const [n, a] of nodes.entries())
    for (const b of nodes.slice(n + 1)) {
      const isApart =
        Math.abs(a.x - b.x) >= (a.width + b.width) / 2 - 0.01 ||
        Math.abs(a.y - b.y) >= (a.height + b.height) / 2 - 0.01;
      if (!isApart) found.push(`${a.id} ${b.id}`);
    }
  return found;
}

test("ways lead down, branches stand side by side, and what comes together stands below both", async () => {
  const { nodes, edges } = await layOut(
    ["A", "B", "C", "D"].map(node),
    [edge("A", "B"), edge("A", "C", true), edge("B", "D"), edge("C", "D")],
    "TD",
  );
  const at = (id: string) => nodes.find((each) => each.id === id) ?? assert.fail(id);

  assert.deepEqual(
    nodes.map(({ id, row }) => id + row),
    ["A0", "B1", "C1", "D2"],
  );
  assert.ok(at("B").x < at("C").x);
  assert.ok(Math.abs(at("A").x - at("D").x) < 1, "what forks comes together in the middle");
  assert.ok(edges.every(({ points }) => (points[0]?.y ?? 0) < (points.at(-1)?.y ?? 0)));
  assert.ok(edges[1]?.label !== undefined);
});

test("a loop is led back outside, and changes nobody's place", async () => {
  const nodes = ["A", "B", "C"].map(node);
  const straight = await layOut(nodes, [edge("A", "B"), edge("B", "C")], "TD");
  const looped = await layOut(nodes, [edge("A", "B"), edge("B", "C"), edge("C", "A", true)], "TD");

  const [, , back] = looped.edges;
  assert.equal(back?.isBack, true);
  const right = Math.max(...looped.nodes.map(({ x, width }) => x + width / 2));
  assert.ok(back?.points.some(({ x }) => x > right));
  assert.deepEqual(
    looped.nodes.map(({ x, row }) => [x, row]),
    straight.nodes.map(({ x, row }) => [x, row]),
  );
});

test("drawn sideways, the same stands from left to right", async () => {
  const { nodes, isSideways } = await layOut(["A", "B"].map(node), [edge("A", "B")], "LR");

  assert.ok(isSideways);
  assert.ok((nodes[0]?.x ?? 0) < (nodes[1]?.x ?? 0));
  assert.equal(nodes[0]?.y, nodes[1]?.y);
});

test("whatever is drawn, no two steps lie on each other and every way is there", async () => {
  const drawing = fc.integer({ min: 1, max: 24 }).chain((count) =>
    fc.record({
      count: fc.constant(count),
      ways: fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1), fc.boolean()), {
        maxLength: 50,
      }),
      direction: fc.constantFrom("TD", "BT", "LR", "RL"),
    }),
  );
  await fc.assert(
    fc.asyncProperty(drawing, async ({ count, ways, direction }) => {
      const nodes = Array.from({ length: count }, (_, n) => node(`n${n}`));
      const layout = await layOut(
        nodes,
        ways.map(([a, b, hasLabel]) => edge(`n${a}`, `n${b}`, hasLabel)),
        direction,
      );
      assert.deepEqual(overlaps(layout), []);
      assert.equal(layout.edges.length, ways.length);
      for (const { points } of layout.edges) assert.ok(points.length >= 2);
      for (const { x, y, width, height } of layout.nodes) {
        assert.ok(x - width / 2 >= 0 && x + width / 2 <= layout.width);
        assert.ok(y - height / 2 >= 0 && y + height / 2 <= layout.height);
      }
    }),
    { numRuns: 60 },
  );
});

test("a thousand steps are placed in slices, and none of them takes long", async () => {
  const nodes = Array.from({ length: 1000 }, (_, n) => node(`n${n}`));
  const edges = nodes
    .slice(10)
    .flatMap((_, n) => [
      edge(`n${n + Math.floor((n * 7) % 10)}`, `n${n + 10}`),
      ...(n % 3 === 0 ? [edge(`n${n}`, `n${n + 10}`)] : []),
    ]);
  let slices = 0;
  let longest = 0;
  let since = performance.now();

  const layout = await layOut(nodes, edges, "TD", async () => {
    slices += 1;
    longest = Math.max(longest, performance.now() - since);
    await new Promise((resolve) => setTimeout(resolve, 0));
    since = performance.now();
  });

  assert.equal(layout.nodes.length, 1000);
  assert.ok(slices > 0);
  // Generous: the machine may be busy. `bench/` has the strict figure.
  assert.ok(longest < 400, `${Math.round(longest)} ms in one go`);
});
