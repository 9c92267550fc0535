/** The other documents, one line each, so that a stage can be read through. */

import { useEffect, useRef } from "react";
import { Glyph } from "../../parts/glyph.tsx";
import {
  cellState,
  cellWords,
  documentAddress,
  nameOfCell,
  placeWords,
  type Stage,
  type Status,
  type Step,
} from "./dialectic-words.ts";

export function DocumentNavigator({
  status,
  place,
}: {
  readonly status: Status;
  readonly place: string;
}) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    box.current
      ?.querySelector(`a[href$="/${CSS.escape(place)}"]`)
      ?.scrollIntoView({ block: "nearest" });
  }, [place]);
  return (
    <nav ref={box} className="pane dx-navigator" aria-label="Documents of this dialectic">
      <div className="scroll">
        {status.stages.map((stage) => (
          <section key={stage.key}>
            <h2 className="group">
              {stage.title}
              <span className="end num">
                {stage.done}/{stage.total}
              </span>
            </h2>
            {stage.steps.map((step) => (
              <StepLinks key={step.key} status={status} stage={stage} step={step} place={place} />
            ))}
          </section>
        ))}
      </div>
    </nav>
  );
}

function StepLinks({
  status,
  stage,
  step,
  place,
}: {
  readonly status: Status;
  readonly stage: Stage;
  readonly step: Step;
  readonly place: string;
}) {
  const isHere = step.cells.some((cell) => nameOfCell(stage, step, cell) === place);
  return (
    <div className="dx-step" data-here={isHere ? "true" : undefined}>
      <span className="small cut">{step.title}</span>
      <span className="dx-dots">
        {step.cells.map((cell) => {
          const name = nameOfCell(stage, step, cell);
          const label = `${step.title}, ${placeWords(cell)}: ${cellWords(cell)}`;
          return (
            <a
              key={cell.place}
              href={documentAddress(status.runId, name)}
              aria-current={name === place ? "page" : undefined}
              aria-label={label}
              title={label}
            >
              <Glyph state={cellState(cell.state)} />
            </a>
          );
        })}
      </span>
    </div>
  );
}
