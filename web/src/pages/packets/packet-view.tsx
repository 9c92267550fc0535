/** A packet that is kept: what it was made of, its text, and what comes back. */

import { useMemo, useState } from "react";
import type { Output } from "../../api/operation.ts";
import { performChange, useChange } from "../../data/use-change.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { copyText } from "../../parts/copy-text.ts";
import { FactList } from "../../parts/facts.tsx";
import { clockTime, count, day, words } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { PageToCome } from "../../parts/page-to-come.tsx";
import { PaneSwitch, usePanes } from "../../parts/pane-switch.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Reference } from "../../parts/reference.tsx";
import { ReferenceName } from "../../parts/reference-name.tsx";
import type { State } from "../../parts/state.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { useQueryField } from "../../router/place.ts";
import { useCommands } from "../../shell/commands.ts";
import { reportProblem } from "../../shell/problems.ts";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";
import { PacketHarvest } from "./packet-harvest.tsx";
import { PacketLedger } from "./packet-ledger.tsx";
import { packetLines } from "./packet-lines.ts";
import { againAddress } from "./packet-request.ts";
import { SendButton } from "./packet-send.tsx";
import { PacketText, ShareBar } from "./packet-text.tsx";

type Detail = Output<"packet.show">;

export function PacketView({ id }: { readonly id: string }) {
  const { data, problem, refresh } = useOperation("packet.show", { packetId: id });
  if (data === undefined)
    return (
      <PageToCome
        problem={problem}
        onRetry={refresh}
        back={{ title: "Packets", path: "/packets" }}
      />
    );
  return <Shown detail={data} />;
}

const PANES = [
  { name: "made", label: "Made of" },
  { name: "text", label: "Text" },
  { name: "harvest", label: "Harvest" },
] as const;

function Shown({ detail }: { readonly detail: Detail }) {
  const { packet, promptText, contextRefs, ledger, isMasked, asOf } = detail;
  const [chosen, choose] = useState<string>();
  const panes = usePanes(PANES, packet.copiedAt === undefined ? "text" : "harvest");
  const [tab, setTab] = useQueryField("tab");
  const view = tab === "ledger" ? "ledger" : "harvest";
  const lines = useMemo(
    () => packetLines(promptText ?? "", contextRefs),
    [promptText, contextRefs],
  );
  const isIn = ledger.filter(({ outcome }) => outcome === "in").length;
  return (
    <>
      <PacketHead detail={detail} />
      <PaneSwitch panes={panes} />
      <div className="pk saved turns" data-pane={panes.shown}>
        <section className="pane" aria-label="Made of" data-name="made">
          <header>
            <h2>Compiled</h2>
            <span className="micro muted end">
              {day(packet.createdAt, asOf)} {clockTime(packet.createdAt)}
            </span>
          </header>
          <MadeOf detail={detail} />
        </section>
        <section className="pane" aria-label="Text" data-name="text">
          <header>
            <h2>Text</h2>
            <button
              type="button"
              className="small link num"
              onClick={() => {
                setTab("ledger");
                panes.show("harvest");
              }}
            >
              {isIn} in, {ledger.length - isIn} out
            </button>
            <span className="end small muted num">
              {count(packet.characters)} / {count(packet.budget)}
            </span>
          </header>
          <div className="share-line">
            <ShareBar lines={lines} budget={packet.budget} />
          </div>
          {isMasked && (
            <div className="note hold masked">
              <Glyph state="hold" />
              <div>
                Something in it was redacted since and is not shown. It cannot be copied or sent as
                it is: compile it again.
              </div>
            </div>
          )}
          {promptText === undefined ? (
            <p className="muted purged">The words of this packet were purged; its hash is kept.</p>
          ) : (
            <PacketText
              lines={lines}
              chosen={chosen}
              onChoose={(thought) => {
                choose(thought);
                if (thought !== undefined && view === "ledger") showRow(thought);
              }}
            />
          )}
          <Carry detail={detail} />
        </section>
        <section className="pane" aria-label="Harvest and ledger" data-name="harvest">
          <Tabs
            label="Harvest or ledger"
            tabs={[
              { name: "harvest", label: "Harvest" },
              { name: "ledger", label: "Ledger", count: ledger.length },
            ]}
            chosen={view}
            onChoose={(name) => setTab(name === "harvest" ? undefined : name)}
          />
          {view === "harvest" ? (
            <PacketHarvest detail={detail} />
          ) : (
            <PacketLedger rows={ledger} chosen={chosen} onChoose={choose} />
          )}
        </section>
      </div>
    </>
  );
}

function showRow(thought: string): void {
  document
    .querySelector(`[data-thought="${CSS.escape(thought)}"]`)
    ?.scrollIntoView({ block: "nearest" });
}

function PacketHead({ detail: { packet } }: { readonly detail: Detail }) {
  const intent = packet.customIntent ?? (packet.intent && words(packet.intent).toLowerCase());
  return (
    <div className="head">
      <a className="crumb" href="/packets">
        Packets
      </a>
      <span className="faint">/</span>
      <h1 className="cut">
        <Words text={intent === undefined ? packet.title : `${packet.title}, ${intent}`} />
      </h1>
      <Reference noun="packet" id={packet.id} />
      <Lifecycle packet={packet} />
    </div>
  );
}

function Lifecycle({ packet }: { readonly packet: Detail["packet"] }) {
  const open = useOperation("harvest.list", { packet: packet.id, state: "open", limit: 1 });
  const isReviewing = (open.data?.items.length ?? 0) > 0;
  const { status, abandonedAt } = packet;
  const isHarvested = status === "harvested" || status === "partially_harvested";
  const steps: readonly (readonly [string, State])[] = [
    ["Drafted", "ok"],
    ...carried(packet, isReviewing || isHarvested),
    ...(isReviewing ? [["Review harvest", "wait"] as const] : []),
    abandonedAt !== undefined && status === "abandoned"
      ? ["Abandoned", "skip"]
      : [
          status === "partially_harvested" ? "Partly harvested" : "Harvested",
          status === "partially_harvested" ? "part" : isHarvested ? "ok" : "todo",
        ],
  ];
  return (
    <ol className="end life wide" aria-label="Where it stands">
      {steps.map(([label, state], n) => (
        <li key={label} className={state === "wait" || state === "run" ? "here" : undefined}>
          {n > 0 && <i className={state === "todo" ? "o" : undefined} />}
          <Glyph state={state} />
          {label}
        </li>
      ))}
    </ol>
  );
}

/** How it got out. An answer may come of a packet that never was copied here. */
function carried(
  { runId, copiedAt, answeredAt }: Detail["packet"],
  isBack: boolean,
): readonly (readonly [string, State])[] {
  if (runId !== undefined) return [answeredAt === undefined ? ["Sent", "run"] : ["Answered", "ok"]];
  if (copiedAt !== undefined) return [[`Copied ${clockTime(copiedAt)}`, "ok"]];
  return isBack ? [] : [["Copied", "todo"]];
}

function MadeOf({ detail }: { readonly detail: Detail }) {
  const { packet, pin, ban } = detail;
  const mayEdit = useMay("edit");
  const abandon = useChange("packet.abandon");
  const wished = (list: readonly string[]) =>
    list.map((thought) => {
      const colon = thought.indexOf(":");
      const noun = thought.slice(0, colon) as "task" | "decision" | "highlight";
      return (
        <div key={thought}>
          <ReferenceName noun={noun} id={thought.slice(colon + 1)} />
        </div>
      );
    });
  return (
    <div className="scroll compile-form">
      <FactList
        facts={{
          From: <ReferenceName noun={packet.originType} id={packet.originId} />,
          Project: packet.projectName,
          Intent: packet.intent && words(packet.intent),
          For: words(packet.targetTool),
          Budget: `${count(packet.budget)} characters`,
          Tokens: count(packet.tokens),
          Pinned: pin.length > 0 && wished(pin),
          Banned: ban.length > 0 && wished(ban),
          "Made by": packet.createdByName ?? packet.createdBy,
          Made: <Ago at={packet.createdAt} />,
          Names: <span className="mono">{packet.name}</span>,
          Hash: <span className="mono">{packet.hash.slice(0, 12)}</span>,
        }}
      />
      <ProblemNote problem={abandon.problem} />
      <div className="acts">
        {mayEdit && (
          <a className="btn" href={againAddress(detail)}>
            <Icon name="retry" small />
            Change and recompile
          </a>
        )}
        <CompareMenu packet={packet} />
        {mayEdit && (packet.status === "drafted" || packet.status === "copied") && (
          <Button
            kind="quiet"
            isBusy={abandon.isBusy}
            onPress={() => void abandon.run({ packetId: packet.id })}
          >
            Abandon it
          </Button>
        )}
      </div>
    </div>
  );
}

function CompareMenu({ packet }: { readonly packet: Detail["packet"] }) {
  const others = useOperation("packet.list", { project: packet.projectId, limit: 20 }).data?.items;
  const found = (others ?? []).filter(({ id }) => id !== packet.id);
  if (packet.projectId === undefined || found.length === 0) return null;
  return (
    <Menu
      label="Compare with another packet"
      button={
        <>
          <Icon name="copy" small />
          Compare with…
        </>
      }
    >
      {(close) =>
        found.map((other) => (
          <a
            key={other.id}
            role="menuitem"
            href={
              other.createdAt < packet.createdAt
                ? `/packets/compare/${other.id}/${packet.id}`
                : `/packets/compare/${packet.id}/${other.id}`
            }
            onClick={close}
          >
            <span className="grow cut">
              <Words text={other.title} />
              {other.intent !== undefined && `, ${words(other.intent).toLowerCase()}`}
            </span>
            <span className="muted small">
              <Ago at={other.createdAt} />
            </span>
          </a>
        ))
      }
    </Menu>
  );
}

/** Copy it, open where it goes, or send it straight to a model. */
function Carry({ detail }: { readonly detail: Detail }) {
  const { packet, promptText, answer } = detail;
  const { runId } = packet;
  const mayEdit = useMay("edit");
  const mayRun = useMay("run");
  const send = useChange("packet.send");
  const run = useOperation("run.show", runId === undefined ? undefined : { runId }).data?.run;
  // Whoever got no answer may ask again.
  const isUnsent =
    runId === undefined ||
    (answer === undefined && ["failed", "cancelled"].includes(run?.state ?? ""));
  const choices = useOperation("packet.choices", {}).data;
  const target = choices?.targets.find(({ tool }) => tool === packet.targetTool);
  const copy = async () => {
    const text = performChange("packet.copy", { packetId: packet.id }).then(
      (copied) => copied.promptText,
    );
    await copyText(text);
    toast("The packet is in the clipboard; bring the answer back here");
  };
  const open = async (url: string) => {
    await copy();
    window.open(url, "_blank", "noopener,noreferrer");
  };
  const isOff = promptText === undefined || !mayEdit;
  useCommands(
    "This packet",
    isOff
      ? []
      : [
          {
            label: "Copy the packet",
            keys: "y",
            icon: "copy",
            run: () => void copy().catch(reportProblem),
          },
        ],
  );
  if (isOff) return null;
  return (
    <div className="bar-foot">
      <ProblemNote problem={send.problem} />
      <div className="row wrap">
        <Button icon="copy" onPress={() => void copy().catch(reportProblem)}>
          {packet.copiedAt === undefined ? "Copy" : "Copy again"}
        </Button>
        {target?.openUrl !== undefined && (
          <Button icon="open" onPress={() => void open(target.openUrl ?? "").catch(reportProblem)}>
            Open {target.label}
          </Button>
        )}
        {mayRun && isUnsent && (
          <SendButton
            tokens={packet.tokens}
            isBusy={send.isBusy}
            onSend={(model) => void send.run({ packetId: packet.id, model, wait: false })}
          />
        )}
      </div>
    </div>
  );
}
