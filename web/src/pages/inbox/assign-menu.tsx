import type { Output } from "../../api/operation.ts";
import { performChange } from "../../data/use-change.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Who } from "../../parts/who.tsx";
import { reportProblem } from "../../shell/problems.ts";
import { toast } from "../../shell/toasts.tsx";

type Wait = Output<"inbox.show">["wait"];

/** Hands the entry to somebody, or back to anybody. */
export function AssignMenu({ wait }: { readonly wait: Wait }) {
  const people = useOperation("user.list", { limit: 100 }).data?.items ?? [];
  const assign = (user: string | null, name: string) => {
    performChange("inbox.assign", { waitId: wait.id, user, expectedVersion: wait.version })
      .then(() => toast(`Now for ${name}`))
      .catch(reportProblem);
  };
  return (
    <Menu
      label="Assign"
      button={
        <>
          <Icon name="person" small />
          {wait.assigneeName === undefined ? "Assign" : `For ${wait.assigneeName}`}
          <Icon name="down" small />
        </>
      }
    >
      {(close) => (
        <>
          {people.map(({ id, displayName }) => (
            <button
              key={id}
              type="button"
              role="menuitem"
              onClick={() => {
                close();
                assign(id, displayName);
              }}
            >
              <Who name={displayName} small />
              <span className="grow cut">{displayName}</span>
              {id === wait.assigneeId && <Icon name="check" small />}
            </button>
          ))}
          <button
            type="button"
            role="menuitem"
            onClick={() => {
              close();
              assign(null, "anybody");
            }}
          >
            <span className="grow">Anybody</span>
            {wait.assigneeId === undefined && <Icon name="check" small />}
          </button>
        </>
      )}
    </Menu>
  );
}
