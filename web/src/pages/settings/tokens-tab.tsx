/** Tokens let programs in. Each says what it may do; its text is shown once. */

import { type FormEvent, useState } from "react";
import { useChange } from "../../data/use-change.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine, EmptyState } from "../../parts/empty-state.tsx";
import { formText } from "../../parts/form-text.ts";
import { Icon } from "../../parts/icon.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { useMayAll } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";

export function TokensTab() {
  const tokens = useOperation("token.list", {});
  const revoke = useChange("token.revoke");
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <div className="settings-lead">
        <p className="muted">
          A token acts as you, at most with the rights you tick. Only its hash is kept.
        </p>
        <Button icon="plus" onPress={() => setAdding(true)}>
          New token
        </Button>
      </div>
      <ProblemNote problem={tokens.problem ?? revoke.problem} onRetry={tokens.refresh} />
      {tokens.isFirst && <SkeletonRows count={3} />}
      {tokens.data?.items.length === 0 && (
        <EmptyState title="No tokens" command="token add ci --scopes read">
          Scripts, other machines and editors come in with a token.
        </EmptyState>
      )}
      <div className="rows">
        {tokens.data?.items.map(({ id, name, prefix, scopes, createdAt, lastUsedAt }) => (
          <div className="setting-line" key={id}>
            <div className="grow">
              <span className="b">
                <Words text={name} />
              </span>{" "}
              <span className="mono small muted">{prefix}…</span>
              <div className="small muted">
                {scopes?.join(", ") ?? "all you may do"}, made <Ago at={createdAt} />
                {lastUsedAt === undefined ? ", never used" : ", used "}
                {lastUsedAt !== undefined && <Ago at={lastUsedAt} />}
              </div>
            </div>
            <Button
              size="small"
              kind="danger"
              isBusy={revoke.isBusy}
              onPress={() => void revoke.run({ tokenId: id })}
            >
              Revoke
            </Button>
          </div>
        ))}
      </div>
      <div className="settings-foot">
        <CommandLine text="token list" />
      </div>
      {isAdding && <NewToken onClose={() => setAdding(false)} />}
    </>
  );
}

const SCOPES = ["read", "answer", "edit", "run", "administer"] as const;

function NewToken({ onClose }: { readonly onClose: () => void }) {
  const add = useChange("token.add");
  const may = useMayAll();
  const [text, setText] = useState<string>();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const scopes = SCOPES.filter((scope) => form.getAll("scope").includes(scope));
    const made = await add.run({
      name: formText(form, "name").trim(),
      scopes,
      expires: formText(form, "expires"),
    });
    setText(made?.text);
  };
  return (
    <Sheet title="New token" onClose={onClose}>
      {text !== undefined ? (
        <div className="opform">
          <p>This is the only time it is shown.</p>
          <pre className="code block in">{text}</pre>
          <div>
            <Button
              kind="primary"
              onPress={() => {
                void navigator.clipboard.writeText(text).then(() => toast("Copied."));
              }}
            >
              Copy
            </Button>
          </div>
        </div>
      ) : (
        <form className="opform" onSubmit={(event) => void submit(event)}>
          <label className="field">
            <span className="lbl">What it is for</span>
            <input className="inp" name="name" required placeholder="ci" />
          </label>
          <fieldset className="field tight">
            <legend className="lbl">What it may do</legend>
            {SCOPES.filter(may).map((scope) => (
              <label key={scope} className="check">
                <input
                  type="checkbox"
                  name="scope"
                  value={scope}
                  defaultChecked={scope === "read"}
                />
                <i>
                  <Icon name="check" />
                </i>
                <span>{scope}</span>
              </label>
            ))}
          </fieldset>
          <label className="field">
            <span className="lbl">Ends</span>
            <select className="inp" name="expires" defaultValue="90d">
              <option value="30d">in 30 days</option>
              <option value="90d">in 90 days</option>
              <option value="365d">in a year</option>
              <option value="never">never</option>
            </select>
          </label>
          <ProblemNote problem={add.problem} />
          <div>
            <Button kind="primary" submits isBusy={add.isBusy}>
              Make it
            </Button>
          </div>
        </form>
      )}
    </Sheet>
  );
}
