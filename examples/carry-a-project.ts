/**
 * A project's thinking, carried to a chat tool and brought home again: what is known becomes one bounded prompt, and
 * the answer becomes tasks and decisions.
 *
 *     node examples/carry-a-project.ts [folder]
 */

import { openWorkspace } from "throughline";

const directory = process.argv[2] ?? ".";
await using workspace = await openWorkspace({ directory });
const { project, task, decision, packet, harvest } = workspace.operations;

const { id } = await project.add({
  name: "Garden",
  description: "A kitchen garden that needs little water.",
});
await decision.add({ title: "Only rain water", content: "No tap water.", project: id });
await task.add({ title: "Choose what to plant in the shade", project: id, urgency: "high" });

const { packetId, promptText, name } = await packet.compile({
  originType: "project",
  originId: id,
  intent: "generate_next_actions",
  budget: 3000,
});
console.log(`A packet of ${promptText.length} characters, called ${name}`);

// What you would paste back from the chat tool.
const answer = `Begin with what the shade allows.

## Tasks
- Sow spinach along the north wall
- Put a second rain barrel under the gutter

## Decisions
- Leaf vegetables go in the shade
`;
const { review } = await harvest.read({ packetId, answer, acceptAll: true });
console.log(`Brought home: ${review?.accepted.length ?? 0} thoughts`);

const { items } = await task.list({ project: id, order: "oldest" });
for (const { title, status } of items) console.log(`- ${title} (${status})`);
