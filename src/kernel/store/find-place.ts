/** Where things belong: to a project, or to a conversation, or to whoever made them. */

import { type DatabaseWork, queryFirst } from "./database-work.ts";
import { db } from "./query-builder.ts";
import { IDENTIFIED_NOUNS, type IdentifiedNoun } from "./resolve-id.ts";

export interface Place {
  readonly projectId?: string | undefined;
  /** Where it stands when it has no project of its own. */
  readonly conversationId?: string | undefined;
  readonly createdBy?: string | undefined;
}

/** What can be in a project. People and tokens never are. */
export type PlacedNoun = Exclude<IdentifiedNoun, "user" | "token">;

export const PLACED_NOUNS: readonly PlacedNoun[] = IDENTIFIED_NOUNS.filter(
  (noun) => noun !== "user" && noun !== "token",
);

export function* findPlace(noun: PlacedNoun, id: string): DatabaseWork<Place> {
  switch (noun) {
    case "project":
      return { projectId: id };
    case "conversation":
      return yield* placeInConversation(id);
    case "message": {
      const message = yield* queryFirst(
        db.selectFrom("message").select("conversation_id").where("id", "=", id),
      );
      return message === undefined ? {} : yield* placeInConversation(message.conversation_id);
    }
    case "highlight":
    case "decision": {
      const thought = yield* queryFirst(
        db
          .selectFrom(noun as "highlight")
          .select(["project_id", "conversation_id", "created_by"])
          .where("id", "=", id),
      );
      return {
        projectId: thought?.project_id ?? undefined,
        conversationId: thought?.conversation_id ?? undefined,
        createdBy: thought?.created_by,
      };
    }
    case "exchange": {
      const exchange = yield* queryFirst(
        db
          .selectFrom("exchange")
          .innerJoin("run", "run.id", "exchange.run_id")
          .select("run.project_id")
          .where("exchange.id", "=", id),
      );
      return { projectId: exchange?.project_id ?? undefined };
    }
    default: {
      const thing = yield* queryFirst(
        db
          .selectFrom(noun as "task")
          .select("project_id")
          .where("id", "=", id),
      );
      return { projectId: thing?.project_id ?? undefined };
    }
  }
}

function* placeInConversation(conversationId: string): DatabaseWork<Place> {
  const conversation = yield* queryFirst(
    db.selectFrom("conversation").select("created_by").where("id", "=", conversationId),
  );
  return { conversationId, createdBy: conversation?.created_by };
}
