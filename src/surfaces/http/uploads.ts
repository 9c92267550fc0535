/**
 * Files on their way in: `POST /api/v1/uploads {name, bytes}` begins one, `PUT /api/v1/uploads/ID` with
 * `Content-Range: bytes FIRST-LAST/TOTAL` adds to its end, `GET` says how far it is, `DELETE` drops it.
 */

import type { Hono } from "hono";
import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import { authorise } from "../../kernel/operation/authorise.ts";
import { inputInvalid, toInputProblems } from "../../kernel/operation/input-problems.ts";
import {
  appendUpload,
  beginUpload,
  getUpload,
  removeUpload,
  type Upload,
} from "../../kernel/operation/uploads.ts";
import type { HttpContext, HttpEnv, HttpSurface } from "./http-context.ts";
import { readJsonBody } from "./read-json-body.ts";

const beginBody = z.strictObject({
  name: z.string().min(1).max(255),
  bytes: z.int().min(0),
});

export function addUploadRoutes(app: Hono<HttpEnv>, { kernel }: HttpSurface): void {
  app.post("/api/v1/uploads", async (context) => {
    const caller = callerOf(context);
    const parsed = beginBody.safeParse(await readJsonBody(context.req.raw));
    if (!parsed.success) throw inputInvalid(toInputProblems(parsed.error, ["name", "bytes"]));
    const upload = await beginUpload(kernel, caller, parsed.data);
    context.header("location", `/api/v1/uploads/${upload.id}`);
    return answer(context, upload, 201);
  });
  app.get("/api/v1/uploads/:id", async (context) =>
    answer(context, await getUpload(kernel, callerOf(context), context.req.param("id")), 200),
  );
  app.put("/api/v1/uploads/:id", async (context) => {
    const { body } = context.req.raw;
    const upload = await appendUpload(kernel, callerOf(context), {
      id: context.req.param("id"),
      offset: offsetOf(context),
      chunk: body ?? emptyChunk(),
    });
    return answer(context, upload, 200);
  });
  app.delete("/api/v1/uploads/:id", async (context) => {
    await removeUpload(kernel, callerOf(context), context.req.param("id"));
    return context.body(null, 204);
  });
}

async function* emptyChunk(): AsyncGenerator<Uint8Array> {}

function callerOf(context: HttpContext) {
  const { caller } = context.get("who");
  authorise(caller, { name: "uploads", permission: "edit" });
  return caller;
}

function offsetOf(context: HttpContext): number {
  const range = context.req.header("content-range");
  if (range === undefined) return 0;
  const first = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(range)?.[1];
  if (first === undefined)
    throw new ProductError(
      "content_range_invalid",
      "Content-Range must be `bytes FIRST-LAST/TOTAL`.",
    );
  return Number(first);
}

function answer(context: HttpContext, upload: Upload, status: 200 | 201): Response {
  context.header("upload-offset", String(upload.received));
  return context.json(upload, status);
}
