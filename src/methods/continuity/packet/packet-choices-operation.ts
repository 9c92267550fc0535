/** What can be chosen for a packet, from the library: overridden and added files count. */

import { z } from "zod";
import { defineOperation } from "../../../kernel/operation/operation.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { blocks, groupDigits, section, table } from "../../../kernel/operation/terminal-text.ts";
import { listIntents } from "./intents.ts";
import { TARGET_TOOLS } from "./packet-tables.ts";
import { LEAST_BUDGET, MOST_BUDGET, readTarget } from "./targets.ts";

const packetChoices = z.object({
  intents: z
    .array(z.object({ slug: z.string(), label: z.string() }))
    .readonly()
    .describe("What a packet can be for; `custom` takes your own words."),
  targets: z
    .array(
      z.object({
        tool: z.enum(TARGET_TOOLS),
        label: z.string(),
        budget: z.number().describe("Characters it is given unless set otherwise."),
        openUrl: z.string().optional().describe("Where the tool is."),
      }),
    )
    .readonly(),
  leastBudget: z.number(),
  mostBudget: z.number(),
});

export const choices = defineOperation({
  name: "packet.choices",
  summary: "Lists what a packet can be for and where it can be taken.",
  effect: "reads",
  permission: "read",
  input: z.object({}),
  output: packetChoices,
  surfaces: {
    cli: { examples: ["packet choices"], render: rendering(packetChoices, renderChoices) },
    mcp: "full",
  },
  run: async ({ kernel: { library } }) => ({
    intents: listIntents(library),
    targets: TARGET_TOOLS.map((tool) => {
      const { label, budget, url } = readTarget(library, tool);
      return { tool, label, budget, ...(url === undefined ? {} : { openUrl: url }) };
    }),
    leastBudget: LEAST_BUDGET,
    mostBudget: MOST_BUDGET,
  }),
});

function renderChoices({ intents, targets }: z.output<typeof packetChoices>): string {
  return blocks(
    section(
      "Intents",
      table(
        [{ title: "intent" }, { title: "in words" }],
        intents.map(({ slug, label }) => [slug, label]),
      ),
    ),
    section(
      "Tools",
      table(
        [{ title: "tool" }, { title: "called" }, { title: "characters" }],
        targets.map(({ tool, label, budget }) => [tool, label, groupDigits(budget)]),
      ),
    ),
  );
}
