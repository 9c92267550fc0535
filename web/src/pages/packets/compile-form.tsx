/** What the packet is about, what it is for, where it goes and how much it may say. */

import { useState } from "react";
import type { Output } from "../../api/operation.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { count } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Source } from "../../parts/reference.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { markedText } from "../../parts/visible-text.ts";
import { Words } from "../../parts/words.tsx";
import { useProjectId, useProjects } from "../../shell/current-project.ts";
import { PickThought } from "../../thoughts/pick-thought.tsx";
import { BudgetHint } from "./budget-hint.tsx";
import { type LedgerRow, thoughtOf } from "./packet-ledger.tsx";
import { kindOf } from "./packet-lines.ts";
import {
  changeWanted,
  chosenIntent,
  type OriginType,
  type Request,
  type Wanted,
  wish,
} from "./packet-request.ts";

type Choices = Output<"packet.choices">;

const ORIGINS = [
  { name: "project", label: "Project" },
  { name: "task", label: "Task" },
  { name: "decision", label: "Decision" },
] as const;

export function CompileForm({
  wanted,
  request,
  ledger,
}: {
  readonly wanted: Wanted;
  readonly request: Request | undefined;
  readonly ledger: readonly LedgerRow[];
}) {
  const choices = useOperation("packet.choices", {}).data;
  return (
    <div className="scroll compile-form">
      <Origin wanted={wanted} />
      {choices === undefined ? (
        <Skeleton width="100%" />
      ) : (
        <Intent wanted={wanted} choices={choices} />
      )}
      {choices !== undefined && <Target wanted={wanted} choices={choices} />}
      {choices !== undefined && (
        <Budget wanted={wanted} choices={choices} request={request} ledger={ledger} />
      )}
      <Wished wanted={wanted} ledger={ledger} />
    </div>
  );
}

function Origin({ wanted }: { readonly wanted: Wanted }) {
  const { projects, current } = useProjects();
  const project = useProjectId();
  const { originType, originId } = wanted;
  const changeType = (type: OriginType) => {
    const first = type === "project" ? (current ?? projects[0])?.id : undefined;
    changeWanted({ originType: type, originId: first, pin: [], ban: [] });
  };
  return (
    <div className="field">
      <span className="lbl">Origin</span>
      <Segmented label="Origin" choices={ORIGINS} chosen={originType} onChoose={changeType} />
      {originType === "project" ? (
        <select
          className="inp"
          aria-label="Project"
          value={originId ?? ""}
          onChange={({ target }) =>
            changeWanted({ originType, originId: target.value, pin: [], ban: [] })
          }
        >
          {originId === undefined && <option value="">Choose a project</option>}
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {markedText(name)}
            </option>
          ))}
        </select>
      ) : (
        <PickThought
          key={originType}
          kind={originType}
          label={originType === "task" ? "Task" : "Decision"}
          chosen={originId}
          project={project}
          onChoose={(id) => changeWanted({ originType, originId: id, pin: [], ban: [] })}
        />
      )}
    </div>
  );
}

function Intent({ wanted, choices }: { readonly wanted: Wanted; readonly choices: Choices }) {
  const chosen = chosenIntent(wanted);
  const isFree = wanted.originType !== "project";
  return (
    <fieldset className="field intents">
      <legend className="lbl">
        Intent {isFree && <span className="faint">(optional here)</span>}
      </legend>
      {isFree && (
        <Radio
          label={wanted.originType === "task" ? "Resolve, plan or debug it" : "Examine it"}
          isChosen={chosen === undefined}
          onChoose={() => changeWanted({ intent: undefined, ask: "" })}
        />
      )}
      {choices.intents.map(({ slug, label }) => (
        <Radio
          key={slug}
          label={slug === "custom" ? "Custom…" : label}
          isChosen={chosen === slug}
          onChoose={() => changeWanted({ intent: slug, ...(slug === "custom" ? {} : { ask: "" }) })}
        />
      ))}
      {chosen === "custom" && (
        <textarea
          className="inp"
          aria-label="Your own words"
          placeholder="What do you want, in your own words?"
          rows={3}
          maxLength={4000}
          defaultValue={wanted.ask}
          onChange={({ target }) => changeWanted({ ask: target.value })}
        />
      )}
    </fieldset>
  );
}

function Radio({
  label,
  isChosen,
  onChoose,
}: {
  readonly label: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  return (
    <label className="radio">
      <input type="radio" name="intent" checked={isChosen} onChange={onChoose} />
      <i />
      <span className="cut">{label}</span>
    </label>
  );
}

const SHORT: Readonly<Record<string, string>> = { other: "Other" };

function Target({ wanted, choices }: { readonly wanted: Wanted; readonly choices: Choices }) {
  const tools = choices.targets.map(({ tool, label }) => ({
    name: tool,
    label: SHORT[tool] ?? label,
  }));
  const inOrder = tools.toSorted(
    (a, b) => Number(b.name === "claude") - Number(a.name === "claude"),
  );
  return (
    <div className="field">
      <span className="lbl">Target</span>
      <Segmented
        label="Target"
        choices={inOrder}
        chosen={wanted.tool}
        onChoose={(tool) => changeWanted({ tool })}
      />
    </div>
  );
}

const LEAST = 1500;
const MOST = 16_000;
const STEP = 100;

function Budget({
  wanted,
  choices,
  request,
  ledger,
}: {
  readonly wanted: Wanted;
  readonly choices: Choices;
  readonly request: Request | undefined;
  readonly ledger: readonly LedgerRow[];
}) {
  const own = choices.targets.find(({ tool }) => tool === wanted.tool)?.budget ?? MOST;
  const [dragged, setDragged] = useState<number>();
  const value = dragged ?? wanted.budget ?? own;
  const set = (budget: number) => {
    const most = Math.max(choices.leastBudget, Math.min(choices.mostBudget, Math.round(budget)));
    setDragged(undefined);
    changeWanted({ budget: most === own ? undefined : most });
  };
  const share = (100 * (Math.min(MOST, value) - LEAST)) / (MOST - LEAST);
  return (
    <div className="field">
      <span className="row">
        <span className="lbl">Budget</span>
        <span className="end num small">
          <input
            className="inp num budget-exact"
            type="number"
            aria-label="Budget, exact"
            key={value}
            min={choices.leastBudget}
            max={choices.mostBudget}
            step={STEP}
            defaultValue={value}
            onBlur={({ target }) => {
              if (target.value !== "" && Number(target.value) !== value) set(Number(target.value));
            }}
            onKeyDown={({ key, currentTarget }) => {
              if (key === "Enter") currentTarget.blur();
            }}
          />{" "}
          <span className="muted">characters</span>
        </span>
      </span>
      <input
        type="range"
        className="range"
        aria-label="Budget"
        aria-valuetext={`${count(value)} characters`}
        min={LEAST}
        max={MOST}
        step={STEP}
        value={Math.min(MOST, value)}
        style={{ "--v": `${Math.max(0, share)}%` } as object}
        onChange={({ target }) => setDragged(Number(target.value))}
        onPointerUp={() => dragged !== undefined && set(dragged)}
        onKeyUp={() => dragged !== undefined && set(dragged)}
        onBlur={() => dragged !== undefined && set(dragged)}
      />
      <BudgetHint request={request} budget={wanted.budget ?? own} ledger={ledger} />
    </div>
  );
}

function Wished({
  wanted,
  ledger,
}: {
  readonly wanted: Wanted;
  readonly ledger: readonly LedgerRow[];
}) {
  const { pin, ban } = wanted;
  const titles = new Map(ledger.map((row) => [thoughtOf(row), row.title]));
  const line = (thought: string, isPinned: boolean) => {
    const title = titles.get(thought) ?? thought;
    return (
      <div key={thought} className={`row small ${isPinned ? "" : "muted"}`}>
        <Icon name={isPinned ? "pin" : "ban"} small />
        <Source kind={kindOf(thought.slice(0, thought.indexOf(":")))} />
        <span className="cut grow">
          <Words text={title} />
        </span>
        <Button
          kind="quiet"
          size="small"
          icon="cross"
          name={isPinned ? `Unpin ${title}` : `Allow ${title} again`}
          onPress={() => changeWanted(wish(wanted, thought, undefined))}
        />
      </div>
    );
  };
  return (
    <div className="field">
      <span className="lbl">Pinned and banned</span>
      {pin.map((thought) => line(thought, true))}
      {ban.map((thought) => line(thought, false))}
      {pin.length + ban.length === 0 && (
        <span className="micro muted">
          In the ledger, pin what must be in and ban what must stay out.
        </span>
      )}
    </div>
  );
}
