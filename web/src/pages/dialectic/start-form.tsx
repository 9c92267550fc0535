/** What is wanted, by which recipes, by which models; and what that will take, before anything is spent. */

import { type FormEvent, useId, useState } from "react";
import type { Output } from "../../api/operation.ts";
import { useChange } from "../../data/use-change.ts";
import { useDelayed } from "../../data/use-delayed.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { count, plural } from "../../parts/format.ts";
import { formText } from "../../parts/form-text.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { ProjectField } from "../../parts/project-field.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { navigate } from "../../router/place.ts";
import { sessionAddress } from "./dialectic-words.ts";
import { aboutWords } from "./cost-words.ts";
import { type Estimate, EstimateTable } from "./estimate-table.tsx";

type Domain = Output<"dialectic.check">["domains"][number];

const MOST_SLOTS = 8;

interface Overlay {
  readonly id: number;
  readonly name: string;
  readonly text: string;
}

export function StartForm() {
  const domains = useOperation("dialectic.check", {});
  const models = useOperation("model.list", {});
  const usable = models.data?.items.filter(({ isUsable }) => isUsable) ?? [];
  const fallback = usable.find(({ isDefault }) => isDefault)?.name ?? usable[0]?.name ?? "";
  const start = useChange("dialectic.start");
  const [request, setRequest] = useState("");
  const [domain, setDomain] = useState("software");
  const [chosen, setChosen] = useState<readonly string[]>(["", ""]);
  const [reviewers, setReviewers] = useState<number>();
  const [isAuto, setAuto] = useState(false);
  const [overlays, setOverlays] = useState<readonly Overlay[]>([]);
  const id = useId();
  const slots = chosen.map((name) => (name === "" ? fallback : name));
  const asked = useDelayed(request, 400);
  const isKnown = fallback !== "" && domains.data !== undefined;
  const estimate = useOperation(
    "dialectic.estimate",
    isKnown ? { domain, model: slots, reviewers, request: asked } : undefined,
  );
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const title = formText(form, "title");
    const project = formText(form, "project");
    const done = await start.run({
      request,
      domain,
      model: slots,
      reviewers,
      auto: isAuto,
      overlay: overlays
        .filter(({ text }) => text.trim() !== "")
        .map(({ name, text }) => `${name}=${text}`),
      ...(title === "" ? {} : { title }),
      ...(project === "" ? {} : { project }),
    });
    if (done !== undefined) navigate(sessionAddress(done.runId));
  };
  const first = estimate.data?.stages[0];
  return (
    <form className="dx-form" onSubmit={(event) => void submit(event)}>
      <div className="scroll form dx-fields">
        <ProblemNote
          problem={domains.problem ?? models.problem}
          onRetry={() => {
            domains.refresh();
            models.refresh();
          }}
        />
        <label className="field" htmlFor={`${id}-request`}>
          <span className="lbl">What you want, in your own words</span>
          <textarea
            id={`${id}-request`}
            className="inp"
            rows={5}
            required
            value={request}
            placeholder="A booking system for a small clinic: patients book by phone or page, two doctors see their day."
            onChange={({ target }) => setRequest(target.value)}
          />
        </label>
        <DomainField
          domains={domains.data?.domains}
          chosen={domain}
          slots={slots.length}
          onChoose={setDomain}
        />
        <fieldset className="field">
          <legend className="lbl">
            Slots <span className="faint">each writes a proposal of its own</span>
          </legend>
          {chosen.map((name, place) => (
            // oxlint-disable-next-line no-array-index-key -- a slot is its place
            <div key={place} className="row dx-slot">
              <span className="who a s" aria-hidden="true">
                {place + 1}
              </span>
              <select
                className="inp grow"
                aria-label={`Model of slot ${place + 1}`}
                value={name === "" ? fallback : name}
                onChange={({ target }) =>
                  setChosen(chosen.map((each, n) => (n === place ? target.value : each)))
                }
              >
                {usable.map((model) => (
                  <option key={model.name} value={model.name}>
                    {model.name}
                    {model.isDefault ? " (default)" : ""}
                  </option>
                ))}
              </select>
              <Button
                kind="quiet"
                icon="cross"
                name={`Take slot ${place + 1} away`}
                isDisabled={chosen.length === 1}
                onPress={() => {
                  setChosen(chosen.filter((_, n) => n !== place));
                  setReviewers(undefined);
                }}
              />
            </div>
          ))}
          <div>
            <Button
              size="small"
              icon="plus"
              isDisabled={chosen.length >= MOST_SLOTS}
              onPress={() => setChosen([...chosen, ""])}
            >
              Add a slot
            </Button>
          </div>
        </fieldset>
        {slots.length > 1 && (
          <ReviewersField slots={slots.length} chosen={reviewers} onChoose={setReviewers} />
        )}
        <label className="check">
          <input
            type="checkbox"
            checked={isAuto}
            onChange={({ target }) => setAuto(target.checked)}
          />
          <i>
            <Icon name="check" small />
          </i>
          <span>
            Go on by itself
            <span className="muted small"> from stage to stage, without asking</span>
          </span>
        </label>
        <ProjectField />
        <details className="dx-more">
          <summary className="small">Title, and what every prompt is told</summary>
          <div className="form">
            <label className="field" htmlFor={`${id}-title`}>
              <span className="lbl">
                Title <span className="faint">the first line unless given</span>
              </span>
              <input id={`${id}-title`} className="inp" name="title" maxLength={200} />
            </label>
            <OverlayFields overlays={overlays} onChange={setOverlays} />
          </div>
        </details>
        <EstimateField
          estimate={estimate.data}
          isFirst={estimate.isFirst}
          onReviewers={setReviewers}
        />
        <ProblemNote problem={estimate.problem} onRetry={estimate.refresh} />
      </div>
      <footer className="dx-foot">
        <ProblemNote problem={start.problem} />
        <Button
          kind="primary"
          icon="play"
          submits
          isBusy={start.isBusy}
          isDisabled={request.trim() === "" || fallback === ""}
          effect={first && effectWords(isAuto, estimate.data, first)}
        >
          Begin
        </Button>
      </footer>
    </form>
  );
}

function effectWords(
  isAuto: boolean,
  estimate: Estimate | undefined,
  first: Estimate["stages"][number],
): string {
  return isAuto && estimate !== undefined
    ? `${count(estimate.total.calls)} calls, all stages`
    : `${count(first.calls)} calls for ${first.title}, then it asks`;
}

function DomainField({
  domains,
  chosen,
  slots,
  onChoose,
}: {
  readonly domains: readonly Domain[] | undefined;
  readonly chosen: string;
  readonly slots: number;
  readonly onChoose: (domain: string) => void;
}) {
  return (
    <fieldset className="field dx-domains">
      <legend className="lbl">Recipes</legend>
      {domains === undefined && <SkeletonRows count={2} />}
      {domains?.map(({ domain, title, steps, calls, problems }) => (
        <label key={domain} className="radio">
          <input
            type="radio"
            name="domain"
            checked={domain === chosen}
            disabled={problems.length > 0}
            onChange={() => onChoose(domain)}
          />
          <i />
          <span className="cut">{title}</span>
          <span className="micro muted num end">
            {problems.length > 0 ? (
              <span className="row">
                <Glyph state="fail" />
                {plural(problems.length, "problem")}
              </span>
            ) : (
              `${plural(steps, "step")}${calls[slots - 1] === undefined ? "" : `, ${count(calls[slots - 1] ?? 0)} calls`}`
            )}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function ReviewersField({
  slots,
  chosen,
  onChoose,
}: {
  readonly slots: number;
  readonly chosen: number | undefined;
  readonly onChoose: (reviewers: number | undefined) => void;
}) {
  const choices = Array.from({ length: slots }, (_, n) => n + 1).map((reviewers) => ({
    name: String(reviewers),
    label: reviewers === slots ? "All" : String(reviewers),
  }));
  return (
    <div className="field">
      <span className="lbl">
        Reviewers of each proposal <span className="faint">fewer is cheaper</span>
      </span>
      <Segmented
        label="Reviewers of each proposal"
        choices={choices}
        chosen={String(chosen ?? slots)}
        onChoose={(name) => onChoose(Number(name) === slots ? undefined : Number(name))}
      />
    </div>
  );
}

function OverlayFields({
  overlays,
  onChange,
}: {
  readonly overlays: readonly Overlay[];
  readonly onChange: (overlays: readonly Overlay[]) => void;
}) {
  const change = (id: number, part: Partial<Overlay>) =>
    onChange(overlays.map((each) => (each.id === id ? { ...each, ...part } : each)));
  const nextId = (overlays.at(-1)?.id ?? 0) + 1;
  return (
    <fieldset className="field">
      <legend className="lbl">
        Told in every prompt <span className="faint">over what the project says</span>
      </legend>
      {overlays.map(({ id, name, text }) => (
        <div key={id} className="dx-overlay">
          <input
            className="inp mono"
            aria-label="Its name"
            pattern="[a-z][a-z0-9_]*"
            title="Lower-case letters, digits and underscores"
            required
            value={name}
            onChange={({ target }) => change(id, { name: target.value })}
          />
          <Button
            kind="quiet"
            icon="cross"
            name={`Take ${name} away`}
            onPress={() => onChange(overlays.filter((each) => each.id !== id))}
          />
          <textarea
            className="inp"
            aria-label={`What ${name} says`}
            rows={2}
            value={text}
            onChange={({ target }) => change(id, { text: target.value })}
          />
        </div>
      ))}
      <div>
        <Button
          size="small"
          icon="plus"
          onPress={() =>
            onChange([
              ...overlays,
              { id: nextId, name: nextId === 1 ? "constraints" : "", text: "" },
            ])
          }
        >
          Add a rule
        </Button>
      </div>
    </fieldset>
  );
}

function EstimateField({
  estimate,
  isFirst,
  onReviewers,
}: {
  readonly estimate: Estimate | undefined;
  readonly isFirst: boolean;
  readonly onReviewers: (reviewers: number) => void;
}) {
  return (
    <section className="field" aria-label="What it will take">
      <h3 className="lbl">
        A full pass <span className="faint">calls counted, the rest estimated</span>
      </h3>
      {isFirst && <SkeletonRows count={6} />}
      {estimate !== undefined && (
        <>
          <EstimateTable estimate={estimate} />
          {estimate.cheaper.map(({ reviewers, calls, costMicroUsd }) => (
            <div key={reviewers} className="note dx-cheaper">
              <div className="grow">
                {plural(reviewers, "reviewer")} a proposal: {count(calls)} calls,{" "}
                {aboutWords(costMicroUsd)}
              </div>
              <Button size="small" onPress={() => onReviewers(reviewers)}>
                Use {reviewers}
              </Button>
            </div>
          ))}
        </>
      )}
    </section>
  );
}
