/** Where you are signed in, ending it there, and another password. */

import { type FormEvent, useState } from "react";
import { type CallProblem, toProblem } from "../../api/call-problem.ts";
import { changePassword } from "../../api/login.ts";
import { useChange } from "../../data/use-change.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/empty-state.tsx";
import { formText } from "../../parts/form-text.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { usePerson } from "../../shell/session.ts";

export function LoginsTab() {
  const logins = useOperation("login.list", {});
  const revoke = useChange("login.revoke");
  const { credential } = usePerson();
  const [isChanging, setChanging] = useState(false);
  return (
    <>
      <div className="settings-lead">
        <p className="muted">
          A login ends by itself after 12 hours without use, and after 7 days in any case.
        </p>
        <Button onPress={() => setChanging(true)}>Change password</Button>
      </div>
      <ProblemNote problem={logins.problem ?? revoke.problem} onRetry={logins.refresh} />
      {logins.isFirst && <SkeletonRows count={2} />}
      <div className="rows">
        {logins.data?.items.map(({ id, label, createdAt, lastSeenAt }) => (
          <div className="setting-line" key={id}>
            <div className="grow">
              <span className="b">
                <Words text={label ?? "A browser that gave no name"} />
              </span>{" "}
              {id === credential.id && <span className="tag">this page</span>}
              <div className="small muted">
                signed in <Ago at={createdAt} />, last seen <Ago at={lastSeenAt} />
              </div>
            </div>
            {id !== credential.id && (
              <Button
                size="small"
                kind="danger"
                isBusy={revoke.isBusy}
                onPress={() => void revoke.run({ loginId: id })}
              >
                End
              </Button>
            )}
          </div>
        ))}
      </div>
      <div className="settings-foot">
        <CommandLine text="login list" />
      </div>
      {isChanging && <NewPassword onClose={() => setChanging(false)} />}
    </>
  );
}

function NewPassword({ onClose }: { readonly onClose: () => void }) {
  const [problem, setProblem] = useState<CallProblem>();
  const [isBusy, setBusy] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setProblem(undefined);
    changePassword({ current: formText(form, "current"), next: formText(form, "next") })
      .then(() => location.assign("/"))
      .catch((error: unknown) => setProblem(toProblem(error)))
      .finally(() => setBusy(false));
  };
  return (
    <Sheet title="Change password" onClose={onClose}>
      <form className="opform" onSubmit={submit}>
        <p className="muted">
          8 to 128 characters of any kind. You are then signed out everywhere, here too.
        </p>
        <label className="field">
          <span className="lbl">The password until now</span>
          <input
            className="inp"
            name="current"
            type="password"
            autoComplete="current-password"
            required
          />
        </label>
        <label className="field">
          <span className="lbl">The new password</span>
          <input className="inp" name="next" type="password" autoComplete="new-password" required />
        </label>
        <ProblemNote problem={problem} />
        <div>
          <Button kind="primary" submits isBusy={isBusy}>
            Change it
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
