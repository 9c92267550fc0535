import { type RefObject, useLayoutEffect, useRef } from "react";

/** The value of the newest rendering, for what is called later. */
export function useNewest<Value>(value: Value): RefObject<Value> {
  const newest = useRef(value);
  useLayoutEffect(() => {
    newest.current = value;
  });
  return newest;
}
