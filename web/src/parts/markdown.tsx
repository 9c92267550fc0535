/** Text written as Markdown. Until its reader is loaded, the text stands as it is; the room hardly changes. */

import { lazy, Suspense } from "react";
import { Words } from "./words.tsx";

const MarkdownBody = lazy(() => import("./markdown-body.tsx"));

export function Markdown({ text }: { readonly text: string }) {
  const plain = (
    <div className="brief plain">
      <Words text={text} />
    </div>
  );
  return (
    <Suspense fallback={plain}>
      <MarkdownBody text={text} />
    </Suspense>
  );
}
