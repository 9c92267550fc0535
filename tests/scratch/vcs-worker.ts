/** Works in a repository with the texts it is told: messages, paths, names of branches, ids. Prints what became of each. */

import { openVcs, vcsTools } from "../../src/app/open-vcs.ts";
import { ProductError } from "../../src/kernel/base/errors.ts";
import type { Vcs } from "../../src/kernel/vcs/vcs.ts";
import { handOf } from "./scratch-repository.ts";

export interface VcsOrders {
  readonly root: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly texts: readonly string[];
}

const orders = JSON.parse(process.argv[2] ?? "") as VcsOrders;
const vcs = await openVcs(orders.root, vcsTools(orders.environment));
const WAYS: readonly ((vcs: Vcs, text: string, n: number) => Promise<unknown>)[] = [
  async ({ workingCopy }, message, n) => {
    await workingCopy.write([{ path: `file-${n}`, text: message }]);
    return workingCopy.commit({ message, paths: [`file-${n}`], hand: handOf(`tag-${n}`) });
  },
  async ({ workingCopy }, name, n) => {
    const path = `odd/${name}`;
    await workingCopy.write([{ path, text: String(n) }]);
    return workingCopy.commit({ message: `A path ${n}\n`, paths: [path], hand: handOf(name) });
  },
  async ({ history, remotes }, name) => {
    const commit = await history.findBookmark(name, "origin");
    const heads = await remotes.heads("origin", [name]);
    return [commit, heads];
  },
  async ({ history, remotes, workingCopy }, name) => {
    const { parent } = await workingCopy.look();
    await history.findAll([name]);
    return remotes.push("origin", [{ name, commitId: parent.commitId }], handOf("push"));
  },
  async ({ history, remotes }, name) => {
    await history.read(name, [name]).catch(asForeseen);
    await history.list({ title: name });
    return remotes.fetch("origin", name);
  },
];
const outcomes: Record<string, number> = {};
for (const [n, text] of orders.texts.entries()) {
  const way = WAYS[n % WAYS.length];
  const outcome = await way?.(vcs, text, n).then(() => "done", asForeseen);
  outcomes[outcome ?? ""] = (outcomes[outcome ?? ""] ?? 0) + 1;
}
console.log(JSON.stringify(outcomes));

/** Whatever is no refusal of ours ends the worker. */
function asForeseen(error: unknown): string {
  if (error instanceof ProductError) return error.code;
  throw error;
}
