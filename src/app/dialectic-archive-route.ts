/** `POST /api/archives/dialectic?session=ID`: the export of a dialectic as one file, for those who sit at another machine. */

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { z } from "zod";
import { ProductError } from "../kernel/base/errors.ts";
import type { Perform } from "../kernel/operation/invoke.ts";
import type { ExtraRoute } from "../surfaces/http/http-app.ts";

const exported = z.object({ path: z.string() });

/** Who may have it and what is in it, the operation decides; this only carries it. */
export function dialecticArchiveRoute(perform: Perform): ExtraRoute {
  return {
    path: "/api/archives/dialectic",
    handle: async (request, { caller }) => {
      if (request.method !== "POST") {
        throw new ProductError("archive_by_post", "An archive is made when it is asked for.", {
          hint: "Send POST instead.",
        });
      }
      const session = new URL(request.url).searchParams.get("session") ?? undefined;
      const output = await perform("dialectic.export", caller, { session, as: "zip" });
      const file = exported.parse(output).path;
      const { size } = await stat(file);
      const body = Readable.toWeb(createReadStream(file)) as ReadableStream;
      return new Response(body, {
        headers: {
          "content-type": "application/zip",
          "content-length": String(size),
          "content-disposition": `attachment; filename="${path.basename(file)}"`,
        },
      });
    },
  };
}
