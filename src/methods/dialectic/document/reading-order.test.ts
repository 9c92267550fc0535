import assert from "node:assert/strict";
import { test } from "node:test";
import type { Field } from "../recipe/document-file.ts";
import { inReadingOrder } from "./reading-order.ts";

const line = (key: string): Field => ({
  key,
  title: key,
  guidance: "…",
  required: true,
  kind: "line",
});

test("keys stand as in the shape, in items too, and nothing is lost", () => {
  const fields: readonly Field[] = [
    line("summary"),
    {
      ...line("risks"),
      kind: "list",
      identity: "id",
      least: 0,
      as: "table",
      fields: [line("id"), line("event")],
    },
    { ...line("owner"), kind: "object", fields: [line("name"), line("at")] },
  ];
  const stored = {
    extra: 1,
    owner: { at: "home", name: "Ana" },
    risks: [{ event: "rain", id: "R1" }, "odd"],
    summary: "Short.",
  };

  assert.equal(
    JSON.stringify(inReadingOrder(fields, stored)),
    '{"summary":"Short.","risks":[{"id":"R1","event":"rain"},"odd"],"owner":{"name":"Ana","at":"home"},"extra":1}',
  );
  assert.equal(inReadingOrder(fields, "no document"), "no document");
});
