/** The recipes: whether they add up, and what they say, stage by stage. */

import type { Output } from "../../api/operation.ts";
import { useOperation } from "../../data/use-operation.ts";
import { plural } from "../../parts/format.ts";
import { Chip, Glyph } from "../../parts/glyph.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Words } from "../../parts/words.tsx";

type Domain = Output<"dialectic.check">["domains"][number];

export function RecipePage({
  domain: asked,
  stage,
}: {
  readonly domain: string | undefined;
  readonly stage: string | undefined;
}) {
  const { data, problem, refresh, isFirst } = useOperation("dialectic.check", {});
  const domain = data?.domains.find((each) => each.domain === asked) ?? data?.domains[0];
  const isSound = domain?.problems.length === 0;
  const described = useOperation(
    "dialectic.describe",
    domain !== undefined && isSound
      ? { domain: domain.domain, ...(stage === undefined ? {} : { stage }) }
      : undefined,
  );
  return (
    <>
      <div className="head">
        <a className="crumb" href="/dialectic">
          Dialectic
        </a>
        <span className="faint">/</span>
        <h1>Recipes</h1>
        <span className="muted small wide">
          Files of the library. A session keeps the recipes it was begun with.
        </span>
      </div>
      <div className="split twofold" data-shows={asked === undefined ? "list" : "detail"}>
        <section className="pane" aria-label="Domains">
          <div className="scroll">
            <ProblemNote problem={problem} onRetry={refresh} />
            {isFirst && <SkeletonRows count={3} />}
            {data?.domains.map((each) => (
              <DomainLine
                key={each.domain}
                domain={each}
                isChosen={each.domain === domain?.domain}
              />
            ))}
          </div>
        </section>
        <section className="pane detail" aria-label={domain?.title ?? "Recipe"}>
          {domain !== undefined && (
            <header>
              <a className="goback" href="/dialectic/recipes" aria-label="Back to the recipes">
                ‹
              </a>
              <h2 className="cut">{domain.title}</h2>
              <Chip state={isSound ? "ok" : "fail"}>
                {isSound ? "adds up" : plural(domain.problems.length, "problem")}
              </Chip>
              <span className="end micro muted num hide-n">
                {domain.calls.join(" / ")} calls with 1 / 2 / 3 slots
              </span>
            </header>
          )}
          <Scroll label="The recipe">
            <div className="dx-recipe">
              {domain !== undefined && !isSound && <Problems domain={domain} />}
              <ProblemNote problem={described.problem} onRetry={described.refresh} />
              {described.isFirst && isSound && <SkeletonRows count={10} />}
              {isSound && described.data !== undefined && (
                <Markdown text={described.data.markdown} />
              )}
            </div>
          </Scroll>
        </section>
      </div>
    </>
  );
}

function DomainLine({
  domain: { domain, title, stages, steps, problems },
  isChosen,
}: {
  readonly domain: Domain;
  readonly isChosen: boolean;
}) {
  return (
    <a
      className="item"
      href={`/dialectic/recipes/${domain}`}
      aria-current={isChosen ? "true" : undefined}
    >
      <Glyph state={problems.length === 0 ? "ok" : "fail"} />
      <span className="t">{title}</span>
      <span className="micro muted mono">{domain}</span>
      <span className="d">
        {plural(stages, "stage")}, {plural(steps, "step")}
        {problems.length > 0 && `, ${plural(problems.length, "problem")}`}
      </span>
    </a>
  );
}

function Problems({ domain: { problems } }: { readonly domain: Domain }) {
  return (
    <ul className="dx-problems">
      {problems.map(({ code, path, line, column, message, hint }) => (
        <li key={`${path}:${line}:${column}:${code}:${message}`} className="note fail">
          <Glyph state="fail" />
          <div>
            <b className="b">
              <Words text={message} />
            </b>{" "}
            {hint}
            <div className="micro mono muted">
              {path}:{line}:{column} {code}
            </div>
          </div>
        </li>
      ))}
    </ul>
  );
}
