/** The tree of products, and one of them in full. */

import { useOperation } from "../../data/use-operation.ts";
import { plural } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Words } from "../../parts/words.tsx";
import type { Output } from "../../api/operation.ts";
import { Coverage } from "./coverage.tsx";
import { ProductPane } from "./product-pane.tsx";
import type { Status } from "./team-run.tsx";
import { teamState } from "./team-words.ts";

type TreeProduct = Output<"team.tree">["products"][number];

export function Products({
  status,
  chosen,
}: {
  readonly status: Status;
  readonly chosen: string | undefined;
}) {
  const { data, problem, refresh, isFirst } = useOperation("team.tree", { runId: status.runId });
  const product =
    data?.products.find(({ id }) => id === chosen) ?? data?.products[1] ?? data?.products[0];
  return (
    <div className="split twofold" data-shows={chosen === undefined ? "list" : "detail"}>
      <section className="pane team-tree" aria-label="Product tree">
        <div className="scroll">
          <ProblemNote problem={problem} onRetry={refresh} />
          {isFirst && <SkeletonRows count={8} />}
          {data?.products.map((each) => (
            <TreeLine
              key={each.id}
              runId={status.runId}
              product={each}
              isChosen={each.id === product?.id}
            />
          ))}
        </div>
      </section>
      {product !== undefined && (
        <ProductPane key={product.id} status={status} productId={product.id} />
      )}
    </div>
  );
}

function TreeLine({
  runId,
  product,
  isChosen,
}: {
  readonly runId: string;
  readonly product: TreeProduct;
  readonly isChosen: boolean;
}) {
  const { id, name, type, status, depth, versionIds, collabCount, coverage } = product;
  return (
    <a
      className="tree-line"
      href={`/teams/${runId}/products/${id}`}
      aria-current={isChosen ? "true" : undefined}
      style={{ paddingLeft: 12 + depth * 16 }}
    >
      <Glyph state={teamState(status)} />
      <span className="mono micro muted">{id}</span>
      <span className="b cut">
        <Words text={name} />
      </span>
      <span className="micro muted cut">
        {type}, {status},{" "}
        {versionIds.length === 0 ? "not written" : plural(versionIds.length, "version")}
        {collabCount > 0 && `, ${plural(collabCount, "comment")}`}
      </span>
      <Coverage coverage={coverage} />
    </a>
  );
}
