/** Nobody is signed in: a password, an invitation, or the line that prints a link. */

import { type FormEvent, useState } from "react";
import { type CallProblem, toProblem } from "../api/call-problem.ts";
import { type Entry, enter } from "../api/login.ts";
import { Button } from "../parts/button.tsx";
import { CommandLine } from "../parts/empty-state.tsx";
import { formText } from "../parts/form-text.ts";
import { Mark } from "../parts/icon.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";

export function SignIn({
  invite,
  problem: first,
  onEntered,
}: {
  readonly invite: string | undefined;
  readonly problem: CallProblem | undefined;
  readonly onEntered: () => void;
}) {
  const [problem, setProblem] = useState(first);
  const [isBusy, setBusy] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    enter(entryOf(new FormData(event.currentTarget), invite))
      .then(onEntered)
      .catch((error: unknown) => setProblem(toProblem(error)))
      .finally(() => setBusy(false));
  };
  return (
    <main className="enter">
      <form onSubmit={submit}>
        <span className="link">
          <Mark />
        </span>
        <h1>{invite === undefined ? "Sign in" : "You are invited"}</h1>
        {invite === undefined ? (
          <p className="muted">
            On the machine that runs this workspace, the command below prints a link that lets you
            in. Others sign in with their password.
          </p>
        ) : (
          <p className="muted">Choose a password. Your e-mail address is in the invitation.</p>
        )}
        {invite === undefined && <CommandLine text="open" />}
        <ProblemNote problem={problem} />
        {invite === undefined && (
          <label className="field">
            <span className="lbl">E-mail address</span>
            <input className="inp" name="email" type="email" autoComplete="username" required />
          </label>
        )}
        <label className="field">
          <span className="lbl">Password</span>
          <input
            className="inp"
            name="password"
            type="password"
            autoComplete={invite === undefined ? "current-password" : "new-password"}
            required
          />
        </label>
        <div>
          <Button kind="primary" submits isBusy={isBusy}>
            {invite === undefined ? "Sign in" : "Accept the invitation"}
          </Button>
        </div>
      </form>
    </main>
  );
}

function entryOf(form: FormData, invite: string | undefined): Entry {
  const text = (name: string) => formText(form, name);
  const password = text("password");
  return invite === undefined
    ? { way: "password", body: { email: text("email"), password } }
    : { way: "accept", body: { code: invite, password } };
}
