/**
 * A model of one's own: anything that can stream text. It is priced, limited, recorded and repaired like every other.
 *
 *     node examples/own-model.ts [folder]
 */

import { type ModelProvider, openWorkspace } from "throughline";

const echo: ModelProvider = {
  async *call({ messages }) {
    const asked = messages.at(-1)?.text.split("\n").at(-1) ?? "";
    const reply = JSON.stringify({ answer: `You asked: ${asked}`, confidence: 1, followUps: [] });
    // Models come in pieces and talk around what was asked for: the contract takes the answer out, and keeps what it did.
    for (const text of ["Of course! ", reply, "\nAnything else?"]) yield { type: "text", text };
    yield { type: "finish", reason: "stop", rawReason: "stop", usage: { outputTokens: 12 } };
  },
};

const directory = process.argv[2] ?? ".";
await using workspace = await openWorkspace({ directory, providers: { echo } });

const { answer, exchangeId } = await workspace.operations.ask.answer({
  request: "Is anybody there?",
  model: "echo/plain",
});
console.log(answer?.answer);

const { exchange } = await workspace.operations.exchange.show({ exchangeId: exchangeId ?? "" });
console.log(`Kept as an exchange with ${exchange.model}: ${exchange.outcome}`);
