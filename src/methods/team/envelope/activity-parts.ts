/** What happened lately and is needed for this step, newest first, each thing said once. */

import type { Part, Piece } from "../../../kernel/prompt/part.ts";
import type { Envelope } from "./envelope.ts";
import type { CollabView, DirectiveView, ProductExtra, ProductFull } from "./product-views.ts";

interface Slice {
  readonly id: string;
  readonly importance: Part["importance"];
  readonly pieces: readonly Piece[];
  readonly cut?: Part["cut"];
  readonly keepWith?: string;
}

export function activityParts(envelope: Envelope): readonly Part[] {
  return slicesOf(envelope).map(({ id, importance, pieces, cut, keepWith }, order) => ({
    id,
    layer: "activity",
    order,
    importance,
    text: pieces,
    ...(cut === undefined ? {} : { cut }),
    ...(keepWith === undefined ? {} : { keepWith }),
  }));
}

function slicesOf(envelope: Envelope): readonly Slice[] {
  const { payload, step } = envelope;
  return [
    ...promptSlices(envelope),
    ...(payload.userMessages ?? []).map(
      ({ id, content, answers }): Slice => ({
        id: `said ${id}`,
        importance: id === "u1" ? 5 : 9,
        pieces: [
          {
            text: `- \`${id}\` from the person you work for${answers === null ? "" : `, asked “${answers}”`}: `,
          },
          {
            text: content,
            ref: { type: "user_message", id },
            maximum: 3000,
            untrusted: "the person you work for",
          },
        ],
      }),
    ),
    ...directiveSlices(payload.directive, "required"),
    ...listSlice("recent collabs", 3, "- Your recent collabs:", payload.recentCollabs ?? []),
    ...(payload.products ?? []).flatMap((product, place) =>
      productSlices(product, envelope, place),
    ),
    ...(payload.reflections ?? []).map((reflection): Slice => {
      const parts = reflection.parts
        .map(({ name, status, next }) => `    - ${name} (${status.replace("_", " ")}): ${next}`)
        .join("\n");
      const wishes = reflection.structuralRequests.map((wish) => `    - asks: ${wish}`).join("\n");
      return {
        id: `reflection ${reflection.id}`,
        importance: 8,
        pieces: [
          {
            text: `- \`${reflection.id}\` is a reflection by ${reflection.authorId} on ${reflection.productId}: `,
          },
          {
            text: `${reflection.note} Next: ${reflection.nextVersionDelta}`,
            untrusted: `reflection ${reflection.id}`,
            ref: { type: "reflection", id: reflection.id },
          },
          {
            text: [parts, wishes]
              .filter((text) => text !== "")
              .map((text) => `\n${text}`)
              .join(""),
          },
        ],
      };
    }),
    ...listSlice("open collabs", 7, "- Open comments, heaviest first:", payload.openCollabs ?? []),
    ...readinessSlices(envelope),
    ...(payload.referenced ?? []).map((product) =>
      extraSlice(product, "a referenced product to build on", 8),
    ),
    ...(payload.highlyRelevant ?? []).map((product) =>
      extraSlice(product, "a highly relevant product", 6),
    ),
    ...textSlice(
      "relevant products",
      4,
      "- Relevant products:",
      (payload.relevant ?? []).map(
        ({ id, name, type, status, description }) =>
          `${id} “${name}” ${type}, ${status}: ${description}`,
      ),
    ),
    ...textSlice(
      "considerations",
      6,
      "- Worth considering for this product:",
      payload.considerations ?? [],
    ),
    ...(payload.deltas ?? []).map(
      ({ id, line }): Slice => ({
        id: `delta ${id}`,
        importance: 8,
        pieces: [
          { text: `- ${id}: ` },
          { text: line, untrusted: `change ${id}`, maximum: 600, ref: { type: "delta", id } },
        ],
      }),
    ),
    ...textSlice(
      "history",
      3,
      step === "plan_assign" ? "- Rounds so far, newest first:" : "- Rounds so far:",
      payload.history ?? [],
    ),
  ];
}

function promptSlices({ payload }: Envelope): readonly Slice[] {
  if (payload.userPrompt === undefined) return [];
  return [
    {
      id: "user prompt",
      importance: "required",
      pieces: [
        { text: "- `u1` is the raw initial prompt of the person you work for:\n" },
        {
          text: payload.userPrompt,
          ref: { type: "user_message", id: "u1" },
          maximum: 20_000,
          untrusted: "the person you work for",
        },
      ],
    },
  ];
}

function directiveSlices(
  directive: DirectiveView | undefined,
  importance: Part["importance"],
): readonly Slice[] {
  if (directive === undefined) return [];
  return [
    {
      id: `directive ${directive.id}`,
      importance,
      pieces: [
        {
          text: `- \`${directive.id}\` is your directive for ${directive.productId}:\n${directiveText(directive, "  ")}`,
          ref: { type: "directive", id: directive.id },
        },
      ],
    },
  ];
}

export function directiveText(directive: DirectiveView, margin: string): string {
  const { importance, objective, motivationNote, dueRound, operativeNote: note, age } = directive;
  const lines = [
    `Importance ${importance}, due in round ${dueRound}${age > 0 ? `, unanswered for ${age}` : ""}`,
    `Objective: ${objective}`,
    `Why you, why now: ${motivationNote}`,
    `Your specialties here: ${note.specialties.join("; ")}`,
    `What is left: ${note.whatIsLeft.join("; ")}`,
    `On track: ${note.onTrack.replace("_", " ")}`,
    `Satisfaction: ${note.satisfaction.level} of 5, because ${note.satisfaction.because}`,
    `Bigger picture: ${note.biggerPicture}`,
    `Why this component matters: ${note.componentImportance}`,
  ];
  return lines.map((line) => `${margin}${line}`).join("\n");
}

const MOST_CONTENT = 12_000;

function productSlices(product: ProductFull, { step }: Envelope, place: number): readonly Slice[] {
  const { id, name, description, dod, currentVersion, changelog, olderEntries } = product;
  const lead = `product ${id}`;
  const ref = { type: "product", id };
  const isMain = step !== "reflect" || place === 0;
  const holder = step === "inspect" ? (currentVersion?.id ?? id) : id;
  const heading =
    step !== "reflect"
      ? "- Product:"
      : place === 0
        ? "- Products you worked on last round:\n -"
        : " -";
  const criteria = dod.map((criterion, at) => `    ${holder}.${at + 1}: ${criterion}`).join("\n");
  const older = olderEntries > 0 ? `\n    (${olderEntries} older versions)` : "";
  const history = changelog
    .map(
      ({ version, changeSummary, reflectionNote, collabs }) =>
        `    ${version}: ${changeSummary} Note: ${reflectionNote}${collabs.length > 0 ? ` Comments: ${collabs.join(", ")}` : ""}`,
    )
    .join("\n");
  return [
    {
      id: lead,
      importance: "required",
      pieces: [
        {
          text: `${heading} ${id} “${name}”\n  ${description}\n  Definition of done:\n${criteria}`,
          ref,
        },
      ],
    },
    ...(currentVersion === null
      ? [
          {
            id: `${lead} content`,
            importance: 5,
            keepWith: lead,
            pieces: [{ text: "  It has no version yet." }],
          },
        ]
      : [
          {
            id: `${lead} content`,
            importance: isMain ? 9 : 5,
            keepWith: lead,
            cut: { by: "words" as const, minimum: 300 },
            pieces: [
              {
                text: `  Current version ${currentVersion.id} by ${currentVersion.authorId}, round ${currentVersion.round}:\n`,
              },
              {
                text: currentVersion.content,
                untrusted: `version ${currentVersion.id}`,
                maximum: MOST_CONTENT,
                ref: { type: "version", id: currentVersion.id },
              },
            ],
          },
        ]),
    ...(history === ""
      ? []
      : [
          {
            id: `${lead} history`,
            importance: 4,
            keepWith: lead,
            cut: { by: "words" as const, minimum: 200 },
            pieces: [{ text: `  - History:\n${history}${older}`, ref }],
          },
        ]),
    ...(product.lastDirective === null || step === "inspect"
      ? []
      : [
          {
            id: `${lead} directive`,
            importance: step === "reflect" ? ("required" as const) : 4,
            keepWith: lead,
            pieces: [
              {
                text: `  - Last directive: ${product.lastDirective.id}\n${directiveText(product.lastDirective, "    ")}`,
                ref: { type: "directive", id: product.lastDirective.id },
              },
            ],
          },
        ]),
    ...(product.lastVersionDelta === "" || step === "write"
      ? []
      : [
          {
            id: `${lead} diff`,
            importance: 5,
            keepWith: lead,
            cut: { by: "words" as const, minimum: 200 },
            pieces: [
              { text: "  - Last version diff:\n" },
              {
                text: product.lastVersionDelta,
                untrusted: `changes of ${currentVersion?.id ?? id}`,
                maximum: 4000,
                ref,
              },
            ],
          },
        ]),
    ...(product.collabs.length === 0
      ? []
      : [
          {
            id: `${lead} collabs`,
            importance: "required" as const,
            pieces: [
              { text: "  - Collabs received:" },
              ...product.collabs.flatMap((collab) => collabPieces(collab, "    ")),
            ],
          },
        ]),
  ];
}

function extraSlice(product: ProductExtra, label: string, importance: number): Slice {
  const { id, name, description, currentVersion } = product;
  return {
    id: `product ${id}`,
    importance,
    cut: { by: "words", minimum: 200 },
    pieces: [
      { text: `- \`${id}\` “${name}”, ${label}. ${description}\n` },
      currentVersion === null
        ? { text: "  It has no version yet." }
        : {
            text: currentVersion.content,
            untrusted: `version ${currentVersion.id}`,
            maximum: 6000,
            ref: { type: "version", id: currentVersion.id },
          },
    ],
  };
}

function collabPieces(collab: CollabView, margin: string): readonly Piece[] {
  const { id, authorId, productId, kind, weight, state, content } = collab;
  return [
    {
      text: `\n${margin}${id} by ${authorId} on ${productId}, ${kind}, importance ${weight}, ${state}: `,
    },
    { text: content, untrusted: `comment ${id}`, maximum: 1200, ref: { type: "collab", id } },
  ];
}

function listSlice(
  id: string,
  importance: number,
  heading: string,
  collabs: readonly CollabView[],
): readonly Slice[] {
  if (collabs.length === 0) return [];
  return [
    {
      id,
      importance,
      cut: { by: "pieces", minimum: 100 },
      pieces: [{ text: heading }, ...collabs.flatMap((collab) => collabPieces(collab, "  "))],
    },
  ];
}

function textSlice(
  id: string,
  importance: number,
  heading: string,
  lines: readonly string[],
): readonly Slice[] {
  if (lines.length === 0) return [];
  return [
    {
      id,
      importance,
      pieces: [{ text: [heading, ...lines.map((line) => `  - ${line}`)].join("\n") }],
    },
  ];
}

function readinessSlices({ payload }: Envelope): readonly Slice[] {
  const ready = (payload.readiness ?? []).map(({ productId, obstacles }) =>
    obstacles.length === 0
      ? `${productId} can be accepted`
      : `${productId} cannot be accepted: ${obstacles.join("; ")}`,
  );
  return textSlice("readiness", 8, "- What stands between products and acceptance:", ready);
}
