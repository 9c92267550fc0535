/** Two packets of one project: what came, what went, what moved, and the text line by line. */

import type { Output } from "../../api/operation.ts";
import { useOperation } from "../../data/use-operation.ts";
import { count, words } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Reference, type ReferenceNoun, Source } from "../../parts/reference.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Ago } from "../../parts/time.tsx";
import { WholeDiff } from "../../parts/whole-diff.tsx";
import { Words } from "../../parts/words.tsx";
import { kindOf } from "./packet-lines.ts";

type Diff = Output<"packet.diff">;
type Part = Diff["parts"][number];

const CHANGES = ["added", "removed", "changed", "moved"] as const;
const TITLES = { added: "Came in", removed: "Went out", changed: "Changed", moved: "Moved" };

export function PacketDiff({ before, after }: { readonly before: string; readonly after: string }) {
  const { data, problem, refresh } = useOperation("packet.diff", { before, after });
  return (
    <>
      <div className="head">
        <a className="crumb" href="/packets">
          Packets
        </a>
        <span className="faint">/</span>
        <h1 className="cut">Compare two packets</h1>
        {data !== undefined && <SameOrNot diff={data} />}
        <a className="btn end" href={`/packets/compare/${after}/${before}`}>
          Swap
        </a>
      </div>
      {data === undefined ? (
        <div className="fault">
          <ProblemNote problem={problem} onRetry={refresh} />
          {problem === undefined && <SkeletonRows count={10} />}
        </div>
      ) : (
        <div className="pk-diff">
          <section className="pane" aria-label="Parts">
            <header>
              <h2>What changed</h2>
            </header>
            <Scroll label="What changed">
              <Side name="Before" packet={data.before} />
              <Side name="After" packet={data.after} />
              {CHANGES.map((change) => (
                <Parts
                  key={change}
                  title={TITLES[change]}
                  parts={data.parts.filter((part) => part.change === change)}
                />
              ))}
            </Scroll>
          </section>
          <section className="pane" aria-label="Text">
            <header>
              <h2>Text</h2>
              <span className="small muted num end">
                {data.characters >= 0 ? "+" : "−"}
                {count(Math.abs(data.characters))} characters
              </span>
            </header>
            <Scroll label="Text, line by line">
              <WholeDiff lines={data.lines} />
            </Scroll>
          </section>
        </div>
      )}
    </>
  );
}

function SameOrNot({ diff: { before, after } }: { readonly diff: Diff }) {
  return before.hash === after.hash ? <span className="tag">the same, byte for byte</span> : null;
}

function Side({ name, packet }: { readonly name: string; readonly packet: Diff["before"] }) {
  return (
    <a className="item" href={`/packets/${packet.id}`}>
      <span className="lbl">{name.slice(0, 1)}</span>
      <span className="t cut">
        <Words text={packet.title} />
      </span>
      <Ago at={packet.createdAt} />
      <span className="d">
        {[
          packet.intent && words(packet.intent),
          `for ${packet.targetTool}`,
          `${count(packet.characters)} of ${count(packet.budget)}`,
        ]
          .filter(Boolean)
          .join(", ")}
      </span>
    </a>
  );
}

function Parts({ title, parts }: { readonly title: string; readonly parts: readonly Part[] }) {
  if (parts.length === 0) return null;
  return (
    <section>
      <h3 className="group">
        {title}, {parts.length}
      </h3>
      <ol className="ledger">
        {parts.map((part, n) => (
          // oxlint-disable-next-line no-array-index-key -- parts stay where they are
          <li key={n} className={part.change === "removed" ? "out" : undefined}>
            <Source kind={kindOf(part.type)} />
            <span className="t cut">
              <PartName part={part} />
            </span>
            <span />
            <span />
            <span className="why">
              {[
                words(part.section),
                part.before && `was: ${part.before}`,
                part.after && `now: ${part.after}`,
              ]
                .filter(Boolean)
                .join(", ")}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

const NOUNS = ["task", "decision", "highlight", "conversation", "project"];

function PartName({ part: { type, id, title, section } }: { readonly part: Part }) {
  const name = title ?? words(section);
  if (type === undefined || id === undefined || !NOUNS.includes(type)) return <Words text={name} />;
  return (
    <Reference noun={type as ReferenceNoun} id={id}>
      <Words text={name} />
    </Reference>
  );
}
