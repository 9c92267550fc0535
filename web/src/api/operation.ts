/** Names and shapes of what the server can do, for use in types. */

import type { Operations } from "./operation-types.ts";

export type { Json } from "./operation-types.ts";
export type OperationName = keyof Operations;
export type Input<Name extends OperationName> = Operations[Name]["input"];
export type Output<Name extends OperationName> = Operations[Name]["output"];

/** Operations that change nothing: what `useOperation` may ask for as often as it likes. */
export type ReadName = {
  [Name in OperationName]: Operations[Name]["effect"] extends "reads" ? Name : never;
}[OperationName];
export type ChangeName = Exclude<OperationName, ReadName>;

/** Operations that give a page of things and say where the next one begins. */
export type ListName = {
  [Name in ReadName]: Operations[Name]["output"] extends { readonly items: readonly unknown[] }
    ? Name
    : never;
}[ReadName];
export type Item<Name extends ListName> =
  Output<Name> extends {
    readonly items: readonly (infer Each)[];
  }
    ? Each
    : never;
