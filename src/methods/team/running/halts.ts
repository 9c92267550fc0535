/** What the team asks the person it works for: waits in the inbox, and what follows from their answers. */

import { z } from "zod";
import type { NewWait } from "../../../kernel/run/decision.ts";
import { Draft } from "../rules/draft.ts";
import type { Halt, Mission } from "../state/team-records.ts";
import type { Put, TeamState } from "../state/team-state.ts";

export const ANSWERED = "team.answered";
export const HALT_WAIT = "team.halt";

export function haltWait(halt: Halt, mission: Mission | undefined): NewWait {
  const { id, reason, message, options, round } = halt;
  const base = {
    key: `halt ${id}`,
    kind: HALT_WAIT,
    reason: message,
    evidence: [{ haltId: id, round, reason, options: [...options] }],
    followUp: {
      key: `halt ${id} answered`,
      handler: ANSWERED,
      step: "answer",
      input: { haltId: id },
    },
  };
  if (reason === "done") {
    return {
      ...base,
      title: "The chair says the mission is met",
      answers: ["conclude", "go_on"],
      form: [
        {
          name: "answer",
          label: "What is still missing",
          type: "longtext",
          required: true,
          answers: ["go_on"],
        },
      ],
    };
  }
  if (reason === "missing_details") {
    return {
      ...base,
      title: "The team needs to know before it begins",
      answers: ["answer", "stop"],
      form: blockingDetails(mission).map(({ question, options: offered }, place) => ({
        name: `detail${place + 1}`,
        label: question,
        type: "longtext",
        required: true,
        ...(offered.length === 0 ? {} : { help: `For instance: ${offered.join("; ")}` }),
      })),
    };
  }
  return {
    ...base,
    title: "The chair has a question",
    answers: ["answer", "stop"],
    form: [
      {
        name: "answer",
        label: "Your answer",
        type: "longtext",
        required: true,
        ...(options.length === 0 ? {} : { help: `Suggested: ${options.join("; ")}` }),
      },
    ],
  };
}

export function blockingDetails(mission: Mission | undefined): Mission["missingDetails"] {
  return (mission?.missingDetails ?? []).filter(
    ({ blocking, answer }) => blocking && answer === null,
  );
}

export const givenAnswer = z.object({
  choice: z.string(),
  fields: z.record(z.string(), z.unknown()).default({}),
  note: z.string().optional(),
});
export type GivenAnswer = z.output<typeof givenAnswer>;

/** The person's words become part of the team's history: later work may rest on them. */
export function answerHalt(state: TeamState, haltId: string, answer: GivenAnswer): readonly Put[] {
  const draft = new Draft(state);
  const halt = draft.find("halts", haltId);
  if (halt === undefined || halt.state === "answered") return [];
  const mission = draft.mission();
  const { round } = state;
  const said: string[] = [];
  const say = (content: string, answers: string | null) => {
    if (content.trim() === "") return;
    said.push(content);
    draft.add("userMessages", { round, content, answers });
  };
  if (halt.reason === "missing_details" && mission !== undefined) {
    const blocking = blockingDetails(mission);
    const missingDetails = mission.missingDetails.map((detail) => {
      const place = blocking.indexOf(detail);
      const given = place === -1 ? "" : textOf(answer.fields[`detail${place + 1}`]);
      if (given === "") return detail;
      say(given, detail.question);
      return { ...detail, answer: given };
    });
    if (said.length > 0) draft.put("missions", { ...mission, missingDetails });
  } else say(textOf(answer.fields["answer"]), halt.message);
  if (answer.note !== undefined) say(answer.note, halt.message);
  draft.put("halts", {
    ...halt,
    state: "answered",
    answer: said.length === 0 ? answer.choice : said.join("\n"),
  });
  return draft.puts();
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}
