import { useState } from "react";
import type { Input, Item } from "../../api/operation.ts";
import { useList } from "../../data/use-operation.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { count, words } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { stateOf } from "../../parts/state.ts";
import { Segmented } from "../../parts/tabs.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { navigate, useQueryField } from "../../router/place.ts";
import { useCommands } from "../../shell/commands.ts";
import { useProjectId } from "../../shell/current-project.ts";
import { useMay } from "../../shell/session.ts";

type Packet = Item<"packet.list">;
type Statuses = NonNullable<Input<"packet.list">["status"]>;

const VIEWS = [
  { name: "all", label: "All" },
  { name: "out", label: "Out" },
  { name: "harvested", label: "Harvested" },
  { name: "abandoned", label: "Abandoned" },
] as const;

type View = (typeof VIEWS)[number]["name"];

const STATUSES: Readonly<Record<View, Statuses | undefined>> = {
  all: undefined,
  out: ["drafted", "copied"],
  harvested: ["harvested", "partially_harvested"],
  abandoned: ["abandoned"],
};

export function PacketList() {
  const project = useProjectId();
  const mayEdit = useMay("edit");
  const [asked, setView] = useQueryField("view");
  const view = VIEWS.find(({ name }) => name === asked)?.name ?? "all";
  const list = useList("packet.list", { project, status: STATUSES[view], limit: 60 });
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const fresh = project === undefined ? "/packets/new" : `/packets/new?origin=project:${project}`;
  const compare = () => {
    // Packets come newest first; the older one is what the other is compared with.
    const inOrder = list.items.filter(({ id }) => chosen.includes(id)).map(({ id }) => id);
    const [after, before] = inOrder;
    if (before !== undefined && after !== undefined)
      navigate(`/packets/compare/${before}/${after}`);
  };
  useCommands("Packets", [
    { label: "Compile a packet", keys: "n", icon: "plus", run: () => navigate(fresh) },
    ...(chosen.length === 2
      ? [{ label: "Compare the two chosen packets", keys: "=", run: compare }]
      : []),
  ]);
  const toggle = (id: string) =>
    setChosen(
      chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen.slice(-1), id],
    );
  return (
    <>
      <div className="head">
        <h1>Packets</h1>
        <Segmented
          label="Which"
          choices={VIEWS}
          chosen={view}
          onChoose={(name) => setView(name === "all" ? undefined : name)}
        />
        <span className="end row">
          {chosen.length > 0 && (
            <button type="button" className="btn" disabled={chosen.length !== 2} onClick={compare}>
              {chosen.length === 2 ? "Compare the two" : "Choose another to compare"}
            </button>
          )}
          {mayEdit && (
            <a className="btn pri" href={fresh}>
              <Icon name="plus" small />
              Compile
            </a>
          )}
        </span>
      </div>
      <div className="pane grow packet-list" aria-busy={list.isReading}>
        <div className="scroll">
          <ProblemNote problem={list.problem} onRetry={list.refresh} />
          {list.isFirst && <SkeletonRows count={10} />}
          <div className="rows">
            {list.items.map((packet) => (
              <PacketLine
                key={packet.id}
                packet={packet}
                isChosen={chosen.includes(packet.id)}
                onToggle={() => toggle(packet.id)}
              />
            ))}
          </div>
          {list.data !== undefined && list.items.length === 0 && (
            <EmptyState
              title={view === "all" ? "No packets yet" : "No such packet"}
              command="packet compile project NAME --intent generate_next_actions"
              action={
                mayEdit && (
                  <a className="btn pri" href={fresh}>
                    Compile one
                  </a>
                )
              }
            >
              A packet is one prompt made from what this project knows, small enough to paste
              anywhere. Bring the answer back, and its tasks, decisions and highlights come home.
            </EmptyState>
          )}
          <MoreButton list={list} />
        </div>
      </div>
    </>
  );
}

function PacketLine({
  packet,
  isChosen,
  onToggle,
}: {
  readonly packet: Packet;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
}) {
  const { id, title, status, intent, customIntent, targetTool, characters, budget } = packet;
  const more = [
    intent === "custom" ? customIntent : intent && words(intent),
    `for ${targetTool}`,
    packet.projectName === title ? "" : packet.projectName,
    packet.createdByName && `by ${packet.createdByName}`,
  ];
  return (
    <div className="packet-line" data-status={status}>
      <label className="check" title="Choose it to compare">
        <input
          type="checkbox"
          checked={isChosen}
          aria-label={`Choose ${title} to compare`}
          onChange={onToggle}
        />
        <i>
          <Icon name="check" />
        </i>
      </label>
      <a href={`/packets/${id}`}>
        <Glyph state={stateOf(status)} />
        <span className="b cut">
          <Words text={title} />
        </span>
        <span className="muted cut grow">{more.filter(Boolean).join(", ")}</span>
        <span className="small num muted hide-n">
          {count(characters)} of {count(budget)}
        </span>
        <span className="small status-words">{words(status)}</span>
        <span className="small num muted when">
          <Ago at={packet.createdAt} />
        </span>
      </a>
    </div>
  );
}
