/** Finds what people name: projects also by their name, users also by address, name or `me`. */

import { ProductError } from "../base/errors.ts";
import { type DatabaseWork, query } from "../store/database-work.ts";
import { db } from "../store/query-builder.ts";
import { resolveId } from "../store/resolve-id.ts";
import { seesProject } from "../store/visibility.ts";
import type { Caller } from "./caller.ts";

export function* resolveProject(given: string, caller: Caller): DatabaseWork<string> {
  const named = yield* query(
    db
      .selectFrom("project")
      .select("project.id")
      .where("project.name", "=", given)
      .where(seesProject(caller))
      .orderBy("project.id")
      .limit(2),
  );
  return yield* onlyOne("project", given, named, () => resolveId("project", given, caller));
}

export function* resolveUser(given: string, caller: Caller): DatabaseWork<string> {
  if (given === "me") return caller.userId;
  const named = yield* query(
    db
      .selectFrom("user")
      .select("id")
      .where((where) =>
        where.or([
          where("email", "=", given.trim().normalize("NFKC").toLowerCase()),
          where("display_name", "=", given),
        ]),
      )
      .orderBy("id")
      .limit(2),
  );
  return yield* onlyOne("user", given, named, () => resolveId("user", given, caller));
}

/** Undefined stays undefined and null stays null: left alone, or emptied. */
export function* resolveOptional<Given extends string | null | undefined>(
  given: Given,
  resolve: (text: string) => DatabaseWork<string>,
): DatabaseWork<string | Exclude<Given, string>> {
  if (typeof given === "string") return yield* resolve(given);
  return given as Exclude<Given, string>;
}

/** The one that bears a name, else the one that has it as id; several of a name are told apart by id. */
export function* onlyOne(
  noun: string,
  given: string,
  named: readonly { readonly id: string }[],
  byId: () => DatabaseWork<string>,
): DatabaseWork<string> {
  const [first, second] = named;
  if (first !== undefined && second === undefined) return first.id;
  if (second === undefined) return yield* byId();
  throw new ProductError("name_ambiguous", `Several ${noun}s are called "${given}".`, {
    kind: "conflict",
    hint: `Use the id; \`${noun} list\` shows it.`,
    details: { noun, given, candidates: named.map(({ id }) => id) },
  });
}
