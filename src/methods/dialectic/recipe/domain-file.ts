/** A field of work and its stages in order: `dialectic/domains/<key>.json`; and the overlays. */

import { z } from "zod";
import { nameOfKey, writtenText } from "./document-file.ts";

/** One thing that every prompt of a session is told, such as a style guide. */
const overlayEntry = z.strictObject({ title: writtenText, text: writtenText });

export const overlayValues = z.record(nameOfKey, overlayEntry);

export type OverlayValues = z.output<typeof overlayValues>;

/** `dialectic/overlays/system.json`: what every session of every domain is told. */
export const overlayFile = z.strictObject({ values: overlayValues });

export const domainFile = z.strictObject({
  key: nameOfKey,
  title: writtenText,
  description: writtenText,
  stages: z.array(nameOfKey).min(1),
  overlays: overlayValues.default({}),
});

export type DomainFile = z.output<typeof domainFile>;
