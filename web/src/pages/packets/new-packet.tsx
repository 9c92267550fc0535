/** Compile: what is asked for on the left, the text as it would be in the middle, the ledger on the right. */

import { useEffect, useMemo, useState } from "react";
import { type CallProblem, toProblem } from "../../api/call-problem.ts";
import { performChange } from "../../data/use-change.ts";
import { useDelayed } from "../../data/use-delayed.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { copyText } from "../../parts/copy-text.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { clockTime, count } from "../../parts/format.ts";
import { PaneSwitch, usePanes } from "../../parts/pane-switch.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { useNow } from "../../parts/time.tsx";
import { navigate } from "../../router/place.ts";
import { useCommands } from "../../shell/commands.ts";
import { useProjects } from "../../shell/current-project.ts";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";
import { CompileForm } from "./compile-form.tsx";
import { PacketLedger } from "./packet-ledger.tsx";
import { packetLines } from "./packet-lines.ts";
import { changeWanted, type Request, toRequest, useWanted, wish } from "./packet-request.ts";
import { SendButton } from "./packet-send.tsx";
import { PacketText, ShareBar } from "./packet-text.tsx";

const PAUSE_MS = 180;

const PANES = [
  { name: "compile", label: "Compile" },
  { name: "preview", label: "Preview" },
  { name: "ledger", label: "Ledger" },
] as const;

export function NewPacket() {
  const wanted = useWanted();
  useFirstProject(wanted.originType === "project" && wanted.originId === undefined);
  const text = JSON.stringify(toRequest(wanted) ?? null);
  const asked = useDelayed(text, PAUSE_MS);
  const request = (JSON.parse(asked) as Request | null) ?? undefined;
  const preview = useOperation("packet.preview", request);
  const [chosen, choose] = useState<string>();
  const { data } = preview;
  const lines = useMemo(() => (data ? packetLines(data.promptText, data.contextRefs) : []), [data]);
  const ledger = data?.ledger ?? [];
  const panes = usePanes(PANES, "compile");
  const now = useNow(20_000);
  const isIn = ledger.filter(({ outcome }) => outcome === "in").length;
  return (
    <>
      <div className="head">
        <a className="crumb" href="/packets">
          Packets
        </a>
        <span className="faint">/</span>
        <h1 className="cut">{data === undefined ? "New packet" : titleOf(data)}</h1>
        <span className="end small muted wide">
          Nothing is kept before you copy, send or keep it
        </span>
      </div>
      <PaneSwitch panes={panes} />
      <div
        className="pk turns"
        data-pane={panes.shown}
        aria-busy={preview.isReading || asked !== text}
      >
        <section className="pane" aria-label="Compile" data-name="compile">
          <header>
            <h2>Compile</h2>
            <span className="micro muted end">as of {clockTime(now)}</span>
          </header>
          <CompileForm wanted={wanted} request={request} ledger={ledger} />
        </section>
        <section className="pane" aria-label="Preview" data-name="preview">
          <header>
            <h2>Preview</h2>
            {data !== undefined && (
              <>
                <span className="small muted num">
                  {isIn} in, {ledger.length - isIn} out
                </span>
                <span className="end small muted num">
                  {count(data.characters)} / {count(data.budget)}
                  <span className="hide-n">, {count(data.tokens)} tokens</span>
                </span>
              </>
            )}
          </header>
          {data !== undefined && (
            <div className="share-line">
              <ShareBar lines={lines} budget={data.budget} />
            </div>
          )}
          <ProblemNote problem={preview.problem} onRetry={preview.refresh} />
          {request === undefined ? (
            <WhatIsMissing isCustom={wanted.intent === "custom"} />
          ) : data === undefined ? (
            preview.problem === undefined && <SkeletonRows count={12} />
          ) : (
            <PacketText lines={lines} chosen={chosen} onChoose={choose} />
          )}
          <MakeBar request={request} tokens={data?.tokens ?? 0} isStale={asked !== text} />
        </section>
        <section className="pane" aria-label="Ledger" data-name="ledger">
          <header>
            <h2>Ledger</h2>
            <span className="small muted">Why each thing is in or out</span>
          </header>
          <PacketLedger
            rows={ledger}
            chosen={chosen}
            onChoose={choose}
            wishing={{
              pin: wanted.pin,
              ban: wanted.ban,
              onWish: (thought, to) => changeWanted(wish(wanted, thought, to)),
            }}
          />
        </section>
      </div>
    </>
  );
}

function titleOf({
  title,
  intentLabel,
}: {
  readonly title: string;
  readonly intentLabel?: string;
}): string {
  return intentLabel === undefined
    ? title
    : `${title}, ${intentLabel.slice(0, 1).toLowerCase()}${intentLabel.slice(1)}`;
}

/** Who names no origin means the project the pages are about. */
function useFirstProject(isNeeded: boolean): void {
  const { projects, current } = useProjects();
  const id = (current ?? projects[0])?.id;
  useEffect(() => {
    if (isNeeded && id !== undefined) changeWanted({ originType: "project", originId: id });
  }, [isNeeded, id]);
}

function WhatIsMissing({ isCustom }: { readonly isCustom: boolean }) {
  return (
    <div className="scroll">
      <EmptyState
        title={isCustom ? "Say what you want" : "Choose what to start from"}
        command="packet preview project NAME --intent generate_next_actions"
      >
        {isCustom
          ? "A custom intent is your own words; write them on the left."
          : "A project gives the whole picture, a task or a decision a narrow one. A highlight or a conversation becomes a task or a decision first."}
      </EmptyState>
    </div>
  );
}

type Way = "copy" | "send" | "keep";

function MakeBar({
  request,
  tokens,
  isStale,
}: {
  readonly request: Request | undefined;
  readonly tokens: number;
  readonly isStale: boolean;
}) {
  const mayEdit = useMay("edit");
  const mayRun = useMay("run");
  const [busy, setBusy] = useState<Way>();
  const [problem, setProblem] = useState<CallProblem>();
  const make = async (way: Way, model?: string) => {
    if (request === undefined || busy !== undefined) return;
    setBusy(way);
    setProblem(undefined);
    try {
      const packetId = await perform(request, way, model);
      navigate(`/packets/${packetId}`);
    } catch (error) {
      setProblem(toProblem(error));
      setBusy(undefined);
    }
  };
  const isOff = request === undefined || isStale;
  useCommands("This packet", [
    {
      label: "Copy the packet",
      keys: "mod+Enter",
      icon: "copy",
      isGlobal: true,
      run: () => void make("copy"),
    },
    { label: "Keep the packet as a draft", icon: "check", run: () => void make("keep") },
  ]);
  if (!mayEdit) return null;
  return (
    <div className="bar-foot">
      <ProblemNote problem={problem} />
      <div className="row wrap">
        <Button
          kind="primary"
          icon="copy"
          keys="mod+Enter"
          isBusy={busy === "copy"}
          isDisabled={isOff}
          onPress={() => void make("copy")}
        >
          Copy
        </Button>
        {mayRun && (
          <SendButton
            tokens={tokens}
            isBusy={busy === "send"}
            onSend={(model) => void make("send", model)}
          />
        )}
        <Button isBusy={busy === "keep"} isDisabled={isOff} onPress={() => void make("keep")}>
          Keep draft
        </Button>
      </div>
    </div>
  );
}

async function perform(request: Request, way: Way, model: string | undefined): Promise<string> {
  const compiled = performChange("packet.compile", request);
  if (way === "copy") {
    // The click that allows the clipboard must not be over when the text arrives.
    const text = compiled.then(async ({ packetId }) => {
      return (await performChange("packet.copy", { packetId })).promptText;
    });
    await copyText(text);
    toast("The packet is in the clipboard; bring the answer back here");
  }
  const { packetId } = await compiled;
  if (way === "send") await performChange("packet.send", { packetId, wait: false, model });
  return packetId;
}
