/** Plays the worlds it is told, one after the other, where no test runner follows every promise. */

import { inspect } from "node:util";
import { parentPort } from "node:worker_threads";
import { fastestPlace } from "../scratch/fastest-place.ts";
import type { Told } from "./play-worlds.ts";
import { play } from "./simulation.ts";

const place = fastestPlace();
parentPort?.on("message", (seed: string) => {
  const tell = (told: Told) => parentPort?.postMessage(told);
  play(seed, { place }).then(
    (played) => tell({ played }),
    (error: unknown) => tell({ broken: inspect(error) }),
  );
});
