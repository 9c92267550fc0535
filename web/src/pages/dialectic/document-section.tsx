/** A section: its text, what people said about it, and the ways to say or change something. */

import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Chip } from "../../parts/glyph.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import type { ShownDocument } from "./dialectic-words.ts";
import { EditForm } from "./edit-form.tsx";
import { RemarkForm } from "./remark-form.tsx";
import { RemarkItem } from "./remark.tsx";
import { isDataKind, textOfSection } from "./section-text.ts";

type Section = ShownDocument["sections"][number];

export function DocumentSection({
  runId,
  document,
  section,
  mayEdit,
}: {
  readonly runId: string;
  readonly document: ShownDocument;
  readonly section: Section;
  readonly mayEdit: boolean;
}) {
  const [doing, setDoing] = useState<"nothing" | "saying" | "editing">("nothing");
  const { key, title, markdown, isMissing, kind } = section;
  const remarks = document.feedback.filter((remark) => remark.section === key);
  const close = () => setDoing("nothing");
  return (
    <section className="dx-section" aria-label={title} data-section={key}>
      <header>
        <h3>{title}</h3>
        {isMissing && <Chip state="part">missing</Chip>}
        {mayEdit && doing === "nothing" && (
          <span className="end row dx-section-acts">
            <Button
              kind="quiet"
              size="small"
              icon="conversation"
              name={`Say something about ${title}`}
              onPress={() => setDoing("saying")}
            />
            <Button
              kind="quiet"
              size="small"
              icon="edit"
              name={`Edit ${title}`}
              onPress={() => setDoing("editing")}
            />
          </span>
        )}
      </header>
      {doing === "editing" ? (
        <EditForm
          runId={runId}
          document={document}
          section={{ key, title }}
          initial={textOfSection(document.value, key, kind)}
          isData={isDataKind(kind)}
          isLines={kind === "lines"}
          onClose={close}
        />
      ) : (
        !isMissing && <Markdown text={markdown} />
      )}
      {remarks.map((remark) => (
        <RemarkItem key={remark.id} runId={runId} remark={remark} />
      ))}
      {doing === "saying" && (
        <RemarkForm runId={runId} document={document} section={key} title={title} onClose={close} />
      )}
    </section>
  );
}
