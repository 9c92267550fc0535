/** Doing something: one change at a time, happening once however shaky the line, with its problem beside it. */

import { useCallback, useState } from "react";
import { callOperation } from "../api/call.ts";
import { type CallProblem, toProblem } from "../api/call-problem.ts";
import type { ChangeName, Input, Output } from "../api/operation.ts";
import { queries } from "./queries.ts";

export interface Change<Name extends ChangeName> {
  readonly isBusy: boolean;
  readonly problem: CallProblem | undefined;
  /** What it came to; undefined when it was refused, which `problem` then explains. */
  readonly run: (input: Input<Name>) => Promise<Output<Name> | undefined>;
  readonly forget: () => void;
}

export function useChange<Name extends ChangeName>(name: Name): Change<Name> {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<CallProblem>();
  const run = useCallback(
    async (input: Input<Name>) => {
      setBusy(true);
      setProblem(undefined);
      try {
        return await performChange(name, input);
      } catch (error) {
        setProblem(toProblem(error));
        return undefined;
      } finally {
        setBusy(false);
      }
    },
    [name],
  );
  const forget = useCallback(() => setProblem(undefined), []);
  return { isBusy, problem, run, forget };
}

/** The same without a hook; throws. What is shown of the same noun is read again at once. */
export async function performChange<Name extends ChangeName>(
  name: Name,
  input: Input<Name>,
): Promise<Output<Name>> {
  const key = crypto.randomUUID();
  const output = await callOnce(name, input, key);
  const noun = name.slice(0, name.indexOf(".") + 1);
  queries.spoil((question) => question.name.startsWith(noun));
  return output;
}

/** An answer may get lost on its way; the key makes asking again safe. */
async function callOnce<Name extends ChangeName>(
  name: Name,
  input: Input<Name>,
  key: string,
): Promise<Output<Name>> {
  try {
    return await callOperation(name, input, { key });
  } catch (error) {
    if (!toProblem(error).isUnreachable) throw error;
    return callOperation(name, input, { key });
  }
}
