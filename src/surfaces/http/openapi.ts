/** The OpenAPI 3.1 description of all operations, made from the same schemas that check them. */

import { inputFields, toJsonSchema } from "../../kernel/operation/input-fields.ts";
import type { Operation } from "../../kernel/operation/operation.ts";
import { nounOf } from "../../kernel/operation/operation-name.ts";
import type { OperationRegistry } from "../../kernel/operation/operation-registry.ts";
import { operationPath } from "./operation-routes.ts";

export interface ProgramInfo {
  readonly name: string;
  readonly version: string;
}

type Part = Readonly<Record<string, unknown>>;

export function openapiDocument(registry: OperationRegistry, program: ProgramInfo): Part {
  const paths: Record<string, Part> = {};
  for (const operation of registry.operations) {
    paths[operationPath(operation)] = pathItem(operation);
    const alias = operation.surfaces?.http?.alias;
    if (alias !== undefined) {
      const described = alias.method === "GET" ? describeGet(operation) : describePost(operation);
      paths[alias.path] = {
        [alias.method.toLowerCase()]: { ...described, operationId: `${operation.name}.alias` },
      };
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: program.name, version: program.version },
    servers: [{ url: "/" }],
    tags: tagsOf(registry),
    paths: { ...paths, "/api/v1/events": { get: EVENTS }, "/api/v1/replies": { get: REPLIES } },
    components: {
      schemas: { Problem: PROBLEM },
      securitySchemes: SECURITY_SCHEMES,
      responses: { Problem: PROBLEM_RESPONSE },
    },
    security: [{ token: [] }, { cookie: [], secret: [] }],
  };
}

function pathItem(operation: Operation): Part {
  const post = { post: describePost(operation) };
  if (operation.effect !== "reads") return post;
  return { get: describeGet(operation), ...post };
}

function describePost(operation: Operation): Part {
  return {
    ...head(operation, operation.effect === "reads" ? ".post" : ""),
    ...(operation.effect === "reads" ? {} : { parameters: WRITE_HEADERS }),
    requestBody: {
      required: true,
      content: { "application/json": { schema: toJsonSchema(operation.input, "input") } },
    },
    responses: responses(operation),
  };
}

function describeGet(operation: Operation): Part {
  const properties = toJsonSchema(operation.input, "input").properties ?? {};
  return {
    ...head(operation, ""),
    parameters: inputFields(operation.input).map(
      ({ name, kind, isList, isRequired, description }) => ({
        name,
        in: "query",
        required: isRequired,
        ...(description === undefined ? {} : { description }),
        ...(kind === "json" && !isList
          ? { content: { "application/json": { schema: properties[name] } } }
          : { schema: properties[name], ...(isList ? { style: "form", explode: true } : {}) }),
      }),
    ),
    responses: responses(operation),
  };
}

function head(operation: Operation, suffix: string): Part {
  return {
    operationId: operation.name + suffix,
    tags: [nounOf(operation)],
    summary: operation.summary,
    "x-permission": operation.permission,
    "x-effect": operation.effect,
  };
}

function responses(operation: Operation): Part {
  return {
    "200": {
      description: "Done.",
      content: { "application/json": { schema: toJsonSchema(operation.output, "output") } },
    },
    default: { $ref: "#/components/responses/Problem" },
  };
}

function tagsOf({ operations, nouns }: OperationRegistry): readonly Part[] {
  const used = [...new Set(operations.map((operation) => nounOf(operation)))];
  return used.map((name) => {
    const summary = nouns.find((noun) => noun.name === name)?.summary;
    return summary === undefined ? { name } : { name, description: summary };
  });
}

const WRITE_HEADERS = [
  {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description: "The same key with the same body gives the stored answer for 24 hours.",
    schema: { type: "string", maxLength: 255 },
  },
];

const PROBLEM = {
  type: "object",
  description: "RFC 9457. `code` is stable for ever.",
  required: ["type", "title", "status", "detail", "code", "kind", "requestId"],
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    code: { type: "string" },
    kind: { type: "string" },
    hint: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["pointer", "message"],
        properties: { pointer: { type: "string" }, message: { type: "string" } },
      },
    },
    details: { type: "object" },
    requestId: { type: "string" },
  },
};

const PROBLEM_RESPONSE = {
  description: "What went wrong.",
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

const SECURITY_SCHEMES = {
  token: { type: "http", scheme: "bearer" },
  cookie: { type: "apiKey", in: "cookie", name: "login" },
  secret: { type: "apiKey", in: "header", name: "X-Login-Secret" },
};

const SENT_EVENTS = {
  "200": {
    description: "Events.",
    content: { "text/event-stream": { schema: { type: "string" } } },
  },
  default: { $ref: "#/components/responses/Problem" },
};

const REPLIES = {
  operationId: "replies",
  summary:
    "Follows replies of models as they arrive (server-sent events): exchange.progressed with offset, text and next, then exchange.finished.",
  parameters: [
    {
      name: "exchanges",
      in: "query",
      required: true,
      description: "ID or ID:OFFSET, comma-separated; the offset is the `next` of the last piece.",
      schema: { type: "string" },
    },
  ],
  responses: SENT_EVENTS,
};

const EVENTS = {
  operationId: "events",
  summary: "Follows the event log (server-sent events).",
  parameters: [
    { name: "after", in: "query", required: false, schema: { type: "string" } },
    { name: "streams", in: "query", required: false, schema: { type: "string" } },
    { name: "topics", in: "query", required: false, schema: { type: "string" } },
    { name: "Last-Event-ID", in: "header", required: false, schema: { type: "string" } },
  ],
  responses: SENT_EVENTS,
};
