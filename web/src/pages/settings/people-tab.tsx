/** Who works here: people, and agents that are assigned to tasks like any person. */

import { useState } from "react";
import type { Item } from "../../api/operation.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/empty-state.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Who } from "../../parts/who.tsx";
import { Words } from "../../parts/words.tsx";
import { useMay } from "../../shell/session.ts";
import { PersonForm } from "./person-form.tsx";

export type SomeUser = Item<"user.list">;

export function PeopleTab() {
  const users = useOperation("user.list", { kind: "both", limit: 100 });
  const mayAdminister = useMay("administer");
  const [chosen, setChosen] = useState<SomeUser | "new">();
  return (
    <>
      <div className="settings-lead">
        <p className="muted">
          An agent has a prompt of its own and takes up the pending tasks it is given. It never has
          more rights than whoever started the run.
        </p>
        {mayAdminister && (
          <Button icon="plus" onPress={() => setChosen("new")}>
            Add somebody
          </Button>
        )}
      </div>
      <ProblemNote problem={users.problem} onRetry={users.refresh} />
      {users.isFirst && <SkeletonRows count={4} />}
      <div className="rows">
        {users.data?.items.map((user) => (
          <div className="setting-line" key={user.id}>
            <Who name={user.displayName} isAgent={user.isAgent} />
            <div className="grow">
              <span className="b">
                <Words text={user.displayName} />
              </span>{" "}
              {user.isAgent && <span className="tag">agent</span>}
              <div className="small muted">
                {[user.role, user.email, user.model].filter(Boolean).join(", ")}
              </div>
            </div>
            {mayAdminister && (
              <Button size="small" kind="quiet" onPress={() => setChosen(user)}>
                Change
              </Button>
            )}
          </div>
        ))}
      </div>
      <div className="settings-foot">
        <CommandLine text='agent add "Reviewer" --agent-prompt "You review one file at a time."' />
      </div>
      {chosen !== undefined && (
        <PersonForm
          user={chosen === "new" ? undefined : chosen}
          onClose={() => setChosen(undefined)}
        />
      )}
    </>
  );
}
