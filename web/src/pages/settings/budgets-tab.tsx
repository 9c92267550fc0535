/** What may be spent in a day and for a project, and what has been. Reaching a limit holds runs; nothing is lost. */

import { type FormEvent, useState } from "react";
import type { Item } from "../../api/operation.ts";
import { useChange } from "../../data/use-change.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/empty-state.tsx";
import { brief, money } from "../../parts/format.ts";
import { formText } from "../../parts/form-text.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Words } from "../../parts/words.tsx";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";

type Budget = Item<"budget.show">;

export function BudgetsTab() {
  const budgets = useOperation("budget.show", {});
  const projects = useOperation("project.list", { limit: 100 });
  const mayAdminister = useMay("administer");
  const [chosen, setChosen] = useState<Subject>();
  const known = new Set(budgets.data?.items.map(({ projectId }) => projectId));
  const others = projects.data?.items.filter(({ id }) => !known.has(id)) ?? [];
  return (
    <>
      <div className="settings-lead">
        <p className="muted">
          A call reserves what it may cost before it goes out. A budget that is reached holds the
          run with the reason in the inbox; raising it goes on from there.
        </p>
      </div>
      <ProblemNote problem={budgets.problem} onRetry={budgets.refresh} />
      {budgets.isFirst && <SkeletonRows count={3} />}
      <div className="rows">
        {budgets.data?.items.map((budget) => (
          <div className="setting-line" key={budget.projectId ?? "day"}>
            <div className="grow">
              <span className="b">
                <Words text={titleOf(budget)} />
              </span>
              <div className="budget-bars">
                <Share
                  name="Money"
                  spent={budget.spent.microUsd}
                  limit={budget.limits.microUsd}
                  show={money}
                />
                <Share
                  name="Tokens"
                  spent={budget.spent.tokens}
                  limit={budget.limits.tokens}
                  show={brief}
                />
                <Share
                  name="Calls"
                  spent={budget.spent.turns}
                  limit={budget.limits.turns}
                  show={brief}
                />
              </div>
            </div>
            {mayAdminister && (
              <Button size="small" onPress={() => setChosen({ title: titleOf(budget), budget })}>
                Change
              </Button>
            )}
          </div>
        ))}
        {mayAdminister &&
          others.map(({ id, name }) => (
            <div className="setting-line" key={id}>
              <span className="grow">
                <Words text={name} /> <span className="muted small">no limit</span>
              </span>
              <Button
                size="small"
                kind="quiet"
                onPress={() => setChosen({ title: name, project: id })}
              >
                Set a limit
              </Button>
            </div>
          ))}
      </div>
      <div className="settings-foot">
        <CommandLine text="budget set --usd 5" />
      </div>
      {chosen !== undefined && <BudgetForm subject={chosen} onClose={() => setChosen(undefined)} />}
    </>
  );
}

interface Subject {
  readonly title: string;
  readonly budget?: Budget;
  readonly project?: string;
}

function titleOf({ scope, projectName }: Budget): string {
  return scope === "day" ? "Today, the whole workspace" : (projectName ?? "A project");
}

function Share({
  name,
  spent,
  limit,
  show,
}: {
  readonly name: string;
  readonly spent: number;
  readonly limit: number | null;
  readonly show: (value: number) => string;
}) {
  return (
    <div className="budget-share">
      <span className="small muted">{name}</span>
      <span className="small num">
        {show(spent)}
        {limit === null ? "" : ` of ${show(limit)}`}
      </span>
      {limit !== null && (
        <meter min={0} max={Math.max(limit, 1)} value={Math.min(spent, limit)} aria-label={name} />
      )}
    </div>
  );
}

function BudgetForm({
  subject,
  onClose,
}: {
  readonly subject: Subject;
  readonly onClose: () => void;
}) {
  const set = useChange("budget.set");
  const { title, budget, project = budget?.projectId } = subject;
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const limit = (name: string) => {
      const text = formText(form, name).trim();
      return text === "" ? null : Number(text);
    };
    const done = await set.run({
      ...(project === undefined ? {} : { project }),
      usd: limit("usd"),
      tokens: limit("tokens"),
      turns: limit("turns"),
    });
    if (done === undefined) return;
    toast("The budget was changed.");
    onClose();
  };
  const { microUsd = null, tokens = null, turns = null } = budget?.limits ?? {};
  return (
    <Sheet title={title} onClose={onClose}>
      <form className="opform" onSubmit={(event) => void submit(event)}>
        <p className="muted">Left empty, there is no limit.</p>
        <LimitField
          name="usd"
          label="Dollars"
          step="0.01"
          initial={microUsd === null ? null : microUsd / 1e6}
        />
        <LimitField name="tokens" label="Tokens, in and out" step="1" initial={tokens} />
        <LimitField name="turns" label="Calls to models" step="1" initial={turns} />
        <ProblemNote problem={set.problem} />
        <div>
          <Button kind="primary" submits isBusy={set.isBusy}>
            Save
          </Button>
        </div>
      </form>
    </Sheet>
  );
}

function LimitField({
  name,
  label,
  step,
  initial,
}: {
  readonly name: string;
  readonly label: string;
  readonly step: string;
  readonly initial: number | null;
}) {
  return (
    <label className="field">
      <span className="lbl">{label}</span>
      <input
        className="inp num short"
        type="number"
        min={0}
        step={step}
        name={name}
        defaultValue={initial ?? undefined}
      />
    </label>
  );
}
