/** Plays the week it is given where no test runner follows every promise, and where what is held can be told. */

import { inspect } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import { fastestPlace } from "../scratch/fastest-place.ts";
import type { ToldWeek } from "./play-week.ts";
import { playWeek, type WeekOptions } from "./week.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const { seed, ...options } = workerData as WeekOptions & { readonly seed: string };
const tell = (told: ToldWeek) => parentPort?.postMessage(told);
playWeek(seed, { ...options, collectGarbage, place: fastestPlace() }).then(
  (played) => tell({ played }),
  (error: unknown) => tell({ broken: inspect(error, { depth: 6 }) }),
);
