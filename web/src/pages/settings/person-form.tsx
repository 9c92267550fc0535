/** A person or an agent: the checkbox decides which, and reveals what an agent is told about itself. */

import { type FormEvent, useState } from "react";
import { useChange } from "../../data/use-change.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { formText } from "../../parts/form-text.ts";
import { Icon } from "../../parts/icon.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { toast } from "../../shell/toasts.tsx";
import type { SomeUser } from "./people-tab.tsx";

const ROLES = {
  viewer: "sees",
  reviewer: "sees and answers",
  operator: "changes and runs",
  admin: "everything",
} as const;

type Role = keyof typeof ROLES;

export function PersonForm({
  user,
  onClose,
}: {
  readonly user: SomeUser | undefined;
  readonly onClose: () => void;
}) {
  const [isAgent, setAgent] = useState(user?.isAgent ?? false);
  const [invitation, setInvitation] = useState<string>();
  const agents = useOperation("agent.list", user?.isAgent ? { limit: 100 } : undefined);
  const models = useOperation("model.list", isAgent ? { usable: true } : undefined);
  const invite = useChange("user.invite");
  const update = useChange("user.update");
  const add = useChange("agent.add");
  const updateAgent = useChange("agent.update");
  const known = agents.data?.items.find(({ id }) => id === user?.id);
  const roles = (Object.keys(ROLES) as Role[]).filter((role) => !isAgent || role !== "admin");

  const save = async (form: FormData): Promise<boolean> => {
    const displayName = formText(form, "displayName").trim();
    const role = formText(form, "role") as Role;
    if (isAgent) {
      const most = role as Exclude<Role, "admin">;
      const agentPrompt = formText(form, "agentPrompt").trim();
      const model = formText(form, "model").trim();
      if (user === undefined) {
        const given = { ...(agentPrompt && { agentPrompt }), ...(model && { model }) };
        return (await add.run({ displayName, role: most, ...given })) !== undefined;
      }
      const changed = { agentPrompt: agentPrompt || null, model: model || null };
      const done = await updateAgent.run({ agentId: user.id, displayName, role: most, ...changed });
      return done !== undefined;
    }
    if (user !== undefined)
      return (await update.run({ user: user.id, displayName, role })) !== undefined;
    const invited = await invite.run({ displayName, role, email: formText(form, "email").trim() });
    if (invited !== undefined) setInvitation(`${location.origin}/#invite=${invited.code}`);
    return false;
  };
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!(await save(new FormData(event.currentTarget)))) return;
    toast(isAgent ? "The agent was saved." : "Saved.");
    onClose();
  };
  const problem = invite.problem ?? update.problem ?? add.problem ?? updateAgent.problem;
  const isBusy = invite.isBusy || update.isBusy || add.isBusy || updateAgent.isBusy;
  const isReady = user === undefined || !user.isAgent || known !== undefined;
  return (
    <Sheet title={user?.displayName ?? "Add somebody"} onClose={onClose}>
      {invitation !== undefined ? (
        <div className="opform">
          <p>Give this address to them. It works once; with it they choose a password.</p>
          <pre className="code block in">{invitation}</pre>
        </div>
      ) : (
        <form className="opform" onSubmit={(event) => void submit(event)} key={String(isReady)}>
          <label className="field">
            <span className="lbl">Name</span>
            <input className="inp" name="displayName" required defaultValue={user?.displayName} />
          </label>
          {user === undefined && (
            <label className="check">
              <input
                type="checkbox"
                checked={isAgent}
                onChange={({ target }) => setAgent(target.checked)}
              />
              <i>
                <Icon name="check" />
              </i>
              <span>Is agent</span>
            </label>
          )}
          {isAgent ? (
            <>
              <label className="field">
                <span className="lbl">Agent prompt</span>
                <textarea
                  className="inp"
                  name="agentPrompt"
                  rows={6}
                  defaultValue={known?.agentPrompt}
                  placeholder="You review one file at a time. You name the line before you name the fault."
                />
                <span className="micro muted">
                  What it is told about itself, before every task.
                </span>
              </label>
              <label className="field">
                <span className="lbl">Model</span>
                <select className="inp" name="model" defaultValue={user?.model ?? ""}>
                  <option value="">The workspace's default</option>
                  {models.data?.items.map(({ name }) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              </label>
            </>
          ) : (
            user === undefined && (
              <label className="field">
                <span className="lbl">E-mail address</span>
                <input className="inp" name="email" type="email" required />
              </label>
            )
          )}
          <label className="field">
            <span className="lbl">{isAgent ? "The most it may do" : "What they may do"}</span>
            <select className="inp" name="role" defaultValue={user?.role ?? "operator"}>
              {roles.map((role) => (
                <option key={role} value={role}>
                  {role}: {ROLES[role]}
                </option>
              ))}
            </select>
          </label>
          <ProblemNote problem={problem} />
          <div>
            <Button kind="primary" submits isBusy={isBusy} isDisabled={!isReady}>
              {user === undefined && !isAgent ? "Invite" : "Save"}
            </Button>
          </div>
        </form>
      )}
    </Sheet>
  );
}
