/** Dialectics: those there are, the recipes they follow, one of them, or one document of it. */

import "./dialectic.css";
import type { PageProps } from "../page.ts";
import { DialecticHome } from "./dialectic-home.tsx";
import { DocumentPage } from "./document-page.tsx";
import { RecipePage } from "./recipe-page.tsx";
import { SessionPage } from "./session-page.tsx";

export default function DialecticPage({ rest: [id, tab, ...place] }: PageProps) {
  if (id === undefined) return <DialecticHome />;
  if (id === "recipes") return <RecipePage domain={tab} stage={place[0]} />;
  if (tab === "document" && place.length === 3)
    return <DocumentPage key={place.join("/")} runId={id} place={place.join("/")} />;
  return <SessionPage key={id} runId={id} tab={tab} />;
}
