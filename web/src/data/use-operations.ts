/** The same question about several things at once: answers in the order of the inputs, each kept fresh. */

import { useMemo, useSyncExternalStore } from "react";
import { callOperation } from "../api/call.ts";
import type { Input, Output, ReadName } from "../api/operation.ts";
import { queries } from "./queries.ts";

export function useOperations<Name extends ReadName>(
  name: Name,
  inputs: readonly Input<Name>[],
): readonly (Output<Name> | undefined)[] {
  const asked = JSON.stringify(inputs);
  const store = useMemo(
    () => createAnswers(name, JSON.parse(asked) as Input<Name>[]),
    [name, asked],
  );
  return useSyncExternalStore(store.subscribe, store.get);
}

function createAnswers<Name extends ReadName>(name: Name, inputs: readonly Input<Name>[]) {
  const keys = inputs.map((input) => `${name} ${JSON.stringify(input)}`);
  let last: readonly (Output<Name> | undefined)[] = keys.map(() => undefined);
  return {
    get: () => {
      const next = keys.map((key) => queries.peek<Output<Name>>(key).data);
      // The same answers are the same list: whoever looks is not told for nothing.
      if (next.some((answer, n) => answer !== last[n])) last = next;
      return last;
    },
    subscribe: (onChange: () => void) => {
      const stops = inputs.map((input, n) =>
        queries.watch(
          {
            key: keys[n] ?? "",
            name,
            input,
            read: (signal) => callOperation(name, input, { signal }),
          },
          onChange,
        ),
      );
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
