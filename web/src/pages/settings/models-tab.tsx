/** The models of the workspace: which can be used, what they cost, which is meant when none is named. */

import { type FormEvent, useState } from "react";
import type { Input, Item, Output } from "../../api/operation.ts";
import { useChange } from "../../data/use-change.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/empty-state.tsx";
import { money, span } from "../../parts/format.ts";
import { formText } from "../../parts/form-text.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Told } from "../../parts/told.tsx";
import { Words } from "../../parts/words.tsx";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";

type Model = Item<"model.list">;

export function ModelsTab() {
  const models = useOperation("model.list", {});
  const mayAdminister = useMay("administer");
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <div className="settings-lead">
        <p className="muted">
          A run uses the default unless its step or agent names another. Keys come from the
          environment and are never stored; without any, the rehearsal model answers, offline and
          the same every time. Prices are dollars for a million tokens.
        </p>
        {mayAdminister && (
          <Button icon="plus" onPress={() => setAdding(true)}>
            Add a model
          </Button>
        )}
      </div>
      <ProblemNote problem={models.problem} onRetry={models.refresh} />
      {models.isFirst && <SkeletonRows count={6} />}
      {Object.entries(Object.groupBy(models.data?.items ?? [], providerOf)).map(
        ([provider, own = []]) => (
          <div key={provider}>
            <ProviderHead provider={provider} models={own} />
            <div className="rows">
              {own.map((model) => (
                <ModelLine key={model.name} model={model} mayAdminister={mayAdminister} />
              ))}
            </div>
          </div>
        ),
      )}
      <div className="settings-foot">
        <CommandLine text="model list" />
      </div>
      {isAdding && <AddModel onClose={() => setAdding(false)} />}
    </>
  );
}

function providerOf({ name }: Model): string {
  return name.slice(0, Math.max(0, name.indexOf("/")));
}

/** What all models of a provider have in common is said once. */
function sharedNote(models: readonly Model[]): string | undefined {
  const [first] = models;
  return models.every(({ note }) => note === first?.note) ? first?.note : undefined;
}

function ProviderHead({
  provider,
  models,
}: {
  readonly provider: string;
  readonly models: readonly Model[];
}) {
  const note = sharedNote(models);
  return (
    <h2 className="group provider">
      <span className="b">
        <Words text={provider} />
      </span>
      <span className="num">in</span>
      <span className="num">out</span>
      {note !== undefined && (
        <span className="note-words cut">
          <Words text={note} />
        </span>
      )}
    </h2>
  );
}

function ModelLine({
  model,
  mayAdminister,
}: {
  readonly model: Model;
  readonly mayAdminister: boolean;
}) {
  const use = useChange("model.use");
  const test = useChange("model.test");
  const [tested, setTested] = useState<Output<"model.test">>();
  const { name, isUsable, isDefault, price } = model;
  const makeDefault = async () => {
    if ((await use.run({ model: name })) !== undefined) toast(`${name} is the default now.`);
  };
  const tryIt = async () => setTested(await test.run({ model: name }));
  return (
    <div className="setting-line model">
      <Glyph state={isUsable ? "ok" : "skip"} />
      <span className="cut">
        <span className={isUsable ? "b" : "muted"}>
          <Words text={name.slice(providerOf(model).length + 1)} />
        </span>{" "}
        {isDefault && <span className="tag">default</span>}
      </span>
      <Price dollars={price?.input} asOf={price?.asOf} />
      <Price dollars={price?.output} asOf={price?.asOf} />
      {isUsable && (
        <span className="end row">
          <Button size="small" kind="quiet" isBusy={test.isBusy} onPress={() => void tryIt()}>
            Test
          </Button>
          {mayAdminister && !isDefault && (
            <Button size="small" isBusy={use.isBusy} onPress={() => void makeDefault()}>
              Make default
            </Button>
          )}
        </span>
      )}
      {tested !== undefined && <Tested tested={tested} />}
      <div className="faults">
        <ProblemNote problem={use.problem ?? test.problem} />
      </div>
    </div>
  );
}

function Price({
  dollars,
  asOf,
}: {
  readonly dollars: number | undefined;
  readonly asOf: string | undefined;
}) {
  if (dollars === undefined) return <span className="num small faint">–</span>;
  return (
    <span className="num small muted" title={`As of ${asOf}`}>
      ${Number.isInteger(dollars) ? dollars : dollars.toFixed(2)}
    </span>
  );
}

function Tested({ tested }: { readonly tested: Output<"model.test"> }) {
  const { isOk, latencyMs, inputTokens = 0, outputTokens = 0, costMicroUsd, problem } = tested;
  return (
    <div className={`note ${isOk ? "ok" : "fail"}`} role="status">
      <Glyph state={isOk ? "ok" : "fail"} />
      <div>
        {isOk ? (
          `Answered in ${span(latencyMs ?? 0)}, ${inputTokens + outputTokens} tokens, ${costMicroUsd === undefined ? "price unknown" : money(costMicroUsd)}.`
        ) : (
          <Told text={`${problem?.message ?? "It did not answer."} ${problem?.hint ?? ""}`} />
        )}
      </div>
    </div>
  );
}

/** Where Ollama listens unless told otherwise. */
const OLLAMA = `${location.protocol}//localhost:11434/v1`;

type Kind = NonNullable<Input<"model.add">["kind"]>;

const KINDS: readonly { readonly kind: Kind; readonly label: string }[] = [
  {
    kind: "openai-compatible",
    label: "A server that speaks OpenAI's language: Ollama, vLLM, LM Studio",
  },
  { kind: "anthropic", label: "Anthropic" },
  { kind: "openai", label: "OpenAI" },
  { kind: "google", label: "Google" },
  { kind: "command", label: "A command on this machine, such as claude -p" },
];

function AddModel({ onClose }: { readonly onClose: () => void }) {
  const [kind, setKind] = useState<Kind>("openai-compatible");
  const add = useChange("model.add");
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const lines = (name: string) =>
      formText(form, name)
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean);
    const text = (name: string) => formText(form, name).trim() || undefined;
    const added = await add.run({
      name: formText(form, "name").trim(),
      kind,
      ...(kind === "command"
        ? { command: text("command"), args: lines("args") }
        : { baseUrl: text("baseUrl"), keyVariable: text("keyVariable") }),
      models: lines("models"),
    });
    if (added === undefined) return;
    toast(`${added.name} was added.`);
    onClose();
  };
  return (
    <Sheet title="Add a model" onClose={onClose}>
      <form className="opform" onSubmit={(event) => void submit(event)}>
        <label className="field">
          <span className="lbl">How it is spoken to</span>
          <select
            className="inp"
            value={kind}
            onChange={({ target }) => setKind(target.value as Kind)}
          >
            {KINDS.map(({ kind: each, label }) => (
              <option key={each} value={each}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span className="lbl">Name here</span>
          <input className="inp" name="name" required placeholder="ollama" />
          <span className="micro muted">Its models are then called name/model.</span>
        </label>
        {kind === "command" ? (
          <>
            <label className="field">
              <span className="lbl">Program</span>
              <input className="inp mono" name="command" required placeholder="claude" />
            </label>
            <label className="field">
              <span className="lbl">Arguments, one per line</span>
              <textarea className="inp mono" name="args" rows={2} placeholder="-p" />
            </label>
          </>
        ) : (
          <>
            <label className="field">
              <span className="lbl">Address</span>
              <input className="inp mono" name="baseUrl" placeholder={OLLAMA} />
            </label>
            <label className="field">
              <span className="lbl">Variable that holds its key</span>
              <input className="inp mono" name="keyVariable" placeholder="MY_API_KEY" />
              <span className="micro muted">The key itself stays in the environment.</span>
            </label>
          </>
        )}
        <label className="field">
          <span className="lbl">Models, one per line</span>
          <textarea className="inp mono" name="models" rows={2} placeholder="qwen3" />
        </label>
        <ProblemNote problem={add.problem} />
        <div>
          <Button kind="primary" submits isBusy={add.isBusy}>
            Add
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
