/** One mission: where it stands, what it made, what its prompts were made of. */

import type { Output } from "../../api/operation.ts";
import { useChange } from "../../data/use-change.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { Chip } from "../../parts/glyph.tsx";
import { PageToCome } from "../../parts/page-to-come.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Reference } from "../../parts/reference.tsx";
import { statusWords } from "../../parts/state.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { Words } from "../../parts/words.tsx";
import { navigate } from "../../router/place.ts";
import { useMay } from "../../shell/session.ts";
import { EnvelopeInspector } from "./envelope-inspector.tsx";
import { Overview } from "./overview.tsx";
import { Products } from "./products.tsx";
import { teamState } from "./team-words.ts";

export type Status = Output<"team.status">;

const TABS = [
  { name: "overview", label: "Rounds" },
  { name: "products", label: "Products" },
  { name: "envelopes", label: "Envelopes" },
] as const;

export function TeamRun({
  id,
  tab,
  item,
}: {
  readonly id: string;
  readonly tab: string | undefined;
  readonly item: string | undefined;
}) {
  const { data, problem, refresh } = useOperation("team.status", { runId: id });
  if (data === undefined)
    return (
      <PageToCome problem={problem} onRetry={refresh} back={{ title: "Teams", path: "/teams" }} />
    );
  const chosen = TABS.find(({ name }) => name === tab)?.name ?? "overview";
  return (
    <>
      <Head status={data} />
      <Tabs
        label="Views of this mission"
        tabs={TABS.map((each) => ({
          ...each,
          count: each.name === "products" ? data.counts.products : undefined,
        }))}
        chosen={chosen}
        onChoose={(name) => navigate(`/teams/${id}/${name}`, { replace: true })}
        end={`${data.counts.accepted} of ${data.counts.products} accepted, ${data.counts.versions} versions, ${data.counts.openComments} comments open`}
      />
      {chosen === "overview" && <Overview status={data} />}
      {chosen === "products" && <Products status={data} chosen={item} />}
      {chosen === "envelopes" && <EnvelopeInspector status={data} hash={item} />}
    </>
  );
}

function Head({ status }: { readonly status: Status }) {
  const mayRun = useMay("run");
  const round = useChange("team.round");
  const stop = useChange("team.stop");
  const isOver = status.status === "concluded";
  const { runId } = status;
  return (
    <>
      <div className="head">
        <a className="crumb" href="/teams">
          Teams
        </a>
        <span className="faint">/</span>
        <h1 className="cut">
          <Words text={status.title} />
        </h1>
        <Reference noun="run" id={runId} />
        <Chip state={teamState(status.status)}>{statusWords(status.status)}</Chip>
        <span className="small muted num wide team-round">
          round {status.round}
          {status.roundsLeft !== null && `, ${status.roundsLeft} left`}
        </span>
        {mayRun && (
          <span className="end row">
            {isOver ? (
              <Button
                icon="play"
                isBusy={round.isBusy}
                onPress={() => void round.run({ runId, count: 1 })}
              >
                Work one more round
              </Button>
            ) : (
              <Button
                kind="danger"
                icon="cross"
                isBusy={stop.isBusy}
                onPress={() => void stop.run({ runId })}
              >
                Stop the team
              </Button>
            )}
          </span>
        )}
      </div>
      <ProblemNote problem={round.problem ?? stop.problem} />
      {status.stop !== null && (
        <div className="note team-stop">
          <div>
            <b className="b">Concluded.</b> {status.stop.message}
          </div>
        </div>
      )}
    </>
  );
}
