import { useOperation } from "../data/use-operation.ts";
import { FactList } from "../parts/facts.tsx";
import { brief, money } from "../parts/format.ts";
import { ReferenceName } from "../parts/reference-name.tsx";
import { Ago } from "../parts/time.tsx";
import { ReplyText } from "../runs/reply-text.tsx";
import type { ReferenceProps } from "../shell/drawer.tsx";
import { ReferenceBody } from "../shell/reference-body.tsx";

export default function ExchangeReference({ id }: ReferenceProps) {
  const shown = useOperation("exchange.show", { exchangeId: id });
  return (
    <ReferenceBody shown={shown}>
      {({ exchange }) => (
        <>
          <div className="row">
            <h2 className="grow">Step {exchange.step}</h2>
            <a className="btn sm" href={`/prompts/${exchange.id}`}>
              Inspect the prompt
            </a>
          </div>
          <FactList
            facts={{
              Model: exchange.model,
              Run: <ReferenceName noun="run" id={exchange.runId} />,
              "Tokens in": exchange.inputTokens !== undefined && brief(exchange.inputTokens),
              "Tokens out": exchange.outputTokens !== undefined && brief(exchange.outputTokens),
              Cost: exchange.costMicroUsd !== undefined && money(exchange.costMicroUsd),
              Sent: <Ago at={exchange.createdAt} />,
            }}
          />
          <ReplyText exchange={exchange} />
        </>
      )}
    </ReferenceBody>
  );
}
