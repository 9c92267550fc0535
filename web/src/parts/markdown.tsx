/** Text written as Markdown. Until its reader is loaded, the text stands as it is; the room hardly changes. */

import { type ComponentType, lazy, Suspense } from "react";
import { Words } from "./words.tsx";

interface Body {
  readonly text: string;
}

let loaded: ComponentType<Body> | undefined;

/** For pages that are mostly Markdown, while they wait for their data. Whoever shows one asks again, and says so if it fails. */
export function preloadMarkdown(): void {
  loadMarkdown().catch(() => undefined);
}

async function loadMarkdown(): Promise<{ readonly default: ComponentType<Body> }> {
  const body = await import("./markdown-body.tsx");
  loaded = body.default;
  return body;
}

const LateBody = lazy(loadMarkdown);

export function Markdown({ text }: Body) {
  const MarkdownBody = loaded;
  if (MarkdownBody !== undefined) return <MarkdownBody text={text} />;
  const plain = (
    <div className="brief plain">
      <Words text={text} />
    </div>
  );
  return (
    <Suspense fallback={plain}>
      <LateBody text={text} />
    </Suspense>
  );
}
