/** Lets the visitor in, then shows the workspace. */

import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/controls.css";
import "./styles/state.css";
import "./styles/rows.css";
import "./styles/text.css";
import "./styles/pieces.css";
import "./styles/prose.css";
import "./styles/runs.css";
import "./styles/narrow.css";
import { StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { type CallProblem, toProblem } from "./api/call-problem.ts";
import { enter, type Person, takeCodeFromAddress, whoIsHere } from "./api/login.ts";
import { App } from "./shell/app.tsx";
import { PersonContext } from "./shell/session.ts";
import { SignIn } from "./shell/sign-in.tsx";

interface Visit {
  readonly person?: Person;
  readonly problem?: CallProblem;
  readonly isKnown: boolean;
}

const arrival = takeCodeFromAddress();

/** A link lets in once: React's double start must not use it twice. */
const entered =
  arrival.code === undefined ? undefined : enter({ way: "exchange", body: { code: arrival.code } });

async function look(): Promise<Visit> {
  try {
    await entered;
    return { person: await whoIsHere(), isKnown: true };
  } catch (error) {
    const problem = toProblem(error);
    const isPlainlyOut = problem.isSignedOut && arrival.code === undefined;
    return { isKnown: true, ...(isPlainlyOut ? {} : { problem }) };
  }
}

const AGAIN_MS = 2000;

function Door() {
  const [visit, setVisit] = useState<Visit>({ isKnown: arrival.invite !== undefined });
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (arrival.invite !== undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    void look().then((found) => {
      setVisit(found);
      if (found.problem?.isUnreachable) timer = setTimeout(() => setTries(tries + 1), AGAIN_MS);
    });
    return () => clearTimeout(timer);
  }, [tries]);
  const { person, problem, isKnown } = visit;
  if (!isKnown) return null;
  if (person === undefined)
    return (
      <SignIn
        key={problem?.code}
        invite={arrival.invite}
        problem={problem}
        onEntered={() => location.assign("/")}
      />
    );
  return (
    <PersonContext value={person}>
      <App />
    </PersonContext>
  );
}

const root = document.getElementById("root");
if (root === null) throw new TypeError("The page has no root.");
createRoot(root).render(
  <StrictMode>
    <Door />
  </StrictMode>,
);
