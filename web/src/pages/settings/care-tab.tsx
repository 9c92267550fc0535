/** The workspace's health: what doctor finds, and the backups there are. */

import { useState } from "react";
import type { Output } from "../../api/operation.ts";
import { useChange } from "../../data/use-change.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine, EmptyState } from "../../parts/empty-state.tsx";
import { brief, plural } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Ago } from "../../parts/time.tsx";
import { Told } from "../../parts/told.tsx";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";

export function CareTab() {
  return (
    <>
      <Backups />
      <Doctor />
    </>
  );
}

function Backups() {
  const mayAdminister = useMay("administer");
  const backups = useOperation("backup.list", mayAdminister ? {} : undefined);
  const make = useChange("backup.make");
  const [drilled, setDrilled] = useState<string>();
  const drill = useOperation(
    "backup.verify",
    drilled === undefined ? undefined : { name: drilled, drill: true },
  );
  if (!mayAdminister) return null;
  const makeOne = async () => {
    const made = await make.run({});
    if (made !== undefined) toast(`${made.name} was made.`);
  };
  return (
    <section>
      <div className="settings-lead">
        <h2>Backups</h2>
        <p className="muted">
          Made while work goes on. A drill restores one beside the workspace and examines every row.
        </p>
        <Button icon="plus" isBusy={make.isBusy} onPress={() => void makeOne()}>
          Back up now
        </Button>
      </div>
      <ProblemNote problem={backups.problem ?? make.problem ?? drill.problem} />
      {backups.isFirst && <SkeletonRows count={2} />}
      {backups.data?.items.length === 0 && (
        <EmptyState title="No backup yet" command="backup make">
          The workspace is one file; a backup is a checked copy of it.
        </EmptyState>
      )}
      <div className="rows">
        {backups.data?.items.map(({ name, bytes, createdAt }) => (
          <div className="setting-line" key={name}>
            <div className="grow">
              <span className="mono">{name}</span>
              <div className="small muted">
                {brief(bytes)} bytes, <Ago at={createdAt} />
                {drilled === name &&
                  drill.data?.name === name &&
                  `, drilled: ${drill.data.rows} rows in ${drill.data.tables} tables are whole`}
              </div>
            </div>
            <Button
              size="small"
              kind="quiet"
              isBusy={drilled === name && drill.isReading}
              onPress={() => setDrilled(name)}
            >
              Drill
            </Button>
          </div>
        ))}
      </div>
      {(backups.data?.items.length ?? 0) > 0 && (
        <div className="settings-foot">
          <CommandLine text="restore NAME" />
        </div>
      )}
    </section>
  );
}

type Check = Output<"workspace.doctor">["checks"][number];

const STATES = { ok: "ok", absent: "todo", warn: "warn", bad: "fail" } as const;

function Doctor() {
  const [isWhole, setWhole] = useState(false);
  const found = useOperation("workspace.doctor", { quick: !isWhole });
  const groups = Object.groupBy(found.data?.checks ?? [], ({ group }) => group);
  return (
    <section>
      <div className="settings-lead">
        <h2>Doctor</h2>
        <p className="muted">
          {found.data === undefined
            ? "Looking."
            : `${found.data.bad === 0 ? "Nothing is" : plural(found.data.bad, "thing")} wrong, ${plural(found.data.warnings, "warning")}.`}
        </p>
        <Button
          isBusy={found.isReading}
          onPress={() => (isWhole ? found.refresh() : setWhole(true))}
        >
          Examine every row
        </Button>
      </div>
      <ProblemNote problem={found.problem} onRetry={found.refresh} />
      {found.isFirst && <SkeletonRows count={6} />}
      {Object.entries(groups).map(([group, checks]) => (
        <div key={group}>
          <div className="group">{group}</div>
          <div className="rows">
            {checks?.map((check) => (
              <CheckLine key={check.name + check.message} check={check} />
            ))}
          </div>
        </div>
      ))}
      <div className="settings-foot">
        <CommandLine text="doctor" />
      </div>
    </section>
  );
}

function CheckLine({ check }: { readonly check: Check }) {
  const { name, state, message, hint } = check;
  return (
    <div className="setting-line">
      <Glyph state={STATES[state]} />
      <div className="grow">
        <span className="b">{name}</span>{" "}
        <span className="muted">
          <Told text={message} />
        </span>
        {hint !== undefined && (
          <div className="small muted">
            <Told text={hint} />
          </div>
        )}
      </div>
    </div>
  );
}
