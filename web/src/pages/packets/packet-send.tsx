/** Sends a packet straight to a model: the default one, or another that can be used right now. */

import type { Output } from "../../api/operation.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { money } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";

type Model = Output<"model.list">["items"][number];

/** An answer in four groups is about this long. */
const ANSWER_TOKENS = 900;

export function SendButton({
  tokens,
  isBusy,
  onSend,
}: {
  readonly tokens: number;
  readonly isBusy: boolean;
  readonly onSend: (model: string) => void;
}) {
  const models = useOperation("model.list", { usable: true }).data;
  if (models === undefined) return <Button isDisabled>Send</Button>;
  const first = models.items.find(({ isDefault }) => isDefault) ?? models.items[0];
  if (first === undefined) return null;
  return (
    <span className="joined">
      <Button
        icon="arrow"
        isBusy={isBusy}
        effect={estimate(first, tokens)}
        onPress={() => onSend(first.name)}
      >
        Send
      </Button>
      <Menu label="Send to another model" className="btn icon" button={<Icon name="down" small />}>
        {(close) =>
          models.items.map((model) => (
            <button
              key={model.name}
              type="button"
              role="menuitem"
              onClick={() => {
                close();
                onSend(model.name);
              }}
            >
              <span className="grow cut">{model.name}</span>
              <span className="muted small">{estimate(model, tokens)}</span>
            </button>
          ))
        }
      </Menu>
    </span>
  );
}

function estimate({ name, price, provider }: Model, tokens: number): string {
  if (provider === "rehearsal") return "rehearsal";
  const model = name.slice(name.indexOf("/") + 1);
  if (price === undefined) return `to ${model}`;
  const microUsd = tokens * price.input + ANSWER_TOKENS * price.output;
  return `≈ ${money(microUsd)}`;
}
