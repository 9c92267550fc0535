import { useOperation } from "../data/use-operation.ts";
import { Prose } from "../parts/prose.tsx";
import { Words } from "../parts/words.tsx";
import type { ReferenceProps } from "../shell/drawer.tsx";
import { ReferenceBody } from "../shell/reference-body.tsx";

export default function WaitReference({ id }: ReferenceProps) {
  const shown = useOperation("inbox.show", { waitId: id });
  return (
    <ReferenceBody shown={shown}>
      {({ wait }) => (
        <>
          <h2>
            <Words text={wait.title} />
          </h2>
          <Prose text={wait.reason} />
          <a className="btn" href={`/inbox/${wait.id}`}>
            Open in the inbox
          </a>
        </>
      )}
    </ReferenceBody>
  );
}
