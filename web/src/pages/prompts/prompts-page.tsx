/** Every prompt as it was sent, why each part is in it, and what came back. */

import "./prompts.css";
import type { PageProps } from "../page.ts";
import { PromptList } from "./prompt-list.tsx";
import { PromptView } from "./prompt-view.tsx";

export default function PromptsPage({ rest: [id] }: PageProps) {
  return id === undefined ? <PromptList /> : <PromptView key={id} id={id} />;
}
