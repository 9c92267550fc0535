import type { Chapter } from "./requirement.ts";

const NO_GRAPHQL = "it has no GraphQL";
const NO_WEBSOCKET = "it has no WebSockets: what is live comes as server-sent events";

export const REQUESTS_AND_ANSWERS: Chapter = {
  number: "V4",
  title: "Requests and answers",
  requirements: [
    {
      number: "V4.1.1",
      level: 1,
      asks: "answers name their type, texts their encoding",
      met: [
        [
          "src/surfaces/http/http-server.test.ts",
          "every answer with something in it names its type, and texts their encoding",
        ],
        [
          "src/surfaces/http/http-server.test.ts",
          "serves the page under a strict policy, without inline script or style",
        ],
      ],
    },
    {
      number: "V4.1.2",
      level: 2,
      asks: "programs are not led from http to https in silence",
      met: [
        [
          "tests/journeys/tls.test.ts",
          "answers over TLS 1.2 and newer alone, tells browsers to stay with it, and never in the clear",
        ],
      ],
      note: "nobody is led on: with TLS, plain http is not answered at all",
    },
    {
      number: "V4.1.3",
      level: 2,
      asks: "headers that a proxy sets cannot be set by who asks",
      met: [
        ["src/surfaces/http/client-address.test.ts", "is not what the client put in front of it"],
        [
          "src/surfaces/http/security-log.test.ts",
          "of who stands behind a proxy that was named, and of the proxy where nobody named it",
        ],
      ],
    },
    {
      number: "V4.2.1",
      level: 2,
      asks: "where a request ends is beyond doubt",
      met: [
        [
          "src/surfaces/http/http-server.test.ts",
          "where a request ends is beyond doubt: two lengths, a length beside chunks and odd chunks are refused",
        ],
      ],
    },
    {
      number: "V4.3.1",
      level: 2,
      asks: "GraphQL queries are bounded",
      notApplicable: NO_GRAPHQL,
    },
    {
      number: "V4.3.2",
      level: 2,
      asks: "GraphQL does not describe itself to everybody",
      notApplicable: NO_GRAPHQL,
    },
    { number: "V4.4.1", level: 1, asks: "WebSockets use TLS", notApplicable: NO_WEBSOCKET },
    {
      number: "V4.4.2",
      level: 2,
      asks: "WebSockets check the origin",
      notApplicable: NO_WEBSOCKET,
    },
    {
      number: "V4.4.3",
      level: 2,
      asks: "WebSockets have sound tokens of their own",
      notApplicable: NO_WEBSOCKET,
    },
    {
      number: "V4.4.4",
      level: 2,
      asks: "tokens of WebSockets come from a login",
      notApplicable: NO_WEBSOCKET,
    },
  ],
};
