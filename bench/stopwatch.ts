import { readFsyncCount } from "./fsync-count.ts";
import type { Stopwatch } from "./subject.ts";

export const stopwatch: Stopwatch = async (work) => {
  const fsyncsBefore = readFsyncCount();
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1000;
  const fsyncsAfter = readFsyncCount();
  return fsyncsBefore === undefined || fsyncsAfter === undefined
    ? { seconds }
    : { seconds, fsyncs: fsyncsAfter - fsyncsBefore };
};
