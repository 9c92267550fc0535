/**
 * The documentation as pages: the Markdown of `docs/` in an order for readers, and the references made from the
 * operations themselves. Plain HTML and one style sheet, without a script: the server's content policy allows no other.
 */

import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Marked } from "marked";
import { listNouns } from "../src/app/methods.ts";
import { PROGRAM } from "../src/app/program.ts";
import { describeCommand } from "../src/kernel/operation/command-description.ts";
import type { InputField } from "../src/kernel/operation/input-field.ts";
import { inputFields, toJsonSchema } from "../src/kernel/operation/input-fields.ts";
import { loadOperations } from "../src/kernel/operation/noun-index.ts";
import type { Operation } from "../src/kernel/operation/operation.ts";
import { nounOf } from "../src/kernel/operation/operation-name.ts";
import { type Command, type CommandGroup, toCommand } from "../src/surfaces/cli/command.ts";
import { flagOf, valueName } from "../src/surfaces/cli/flag-name.ts";

const DOCS = path.join(import.meta.dirname, "..", "docs");
/** By its address: it reaches the whole program, whose types have no place among those of pages. */
const OWN_COMMANDS = path.join(import.meta.dirname, "..", "src", "app", "own-commands.ts");
const STYLES = path.join(import.meta.dirname, "src", "styles");

/** What is not named here stands at the end, under its own title. */
const CONTENTS: Readonly<Record<string, readonly string[]>> = {
  Begin: ["getting-started", "concepts"],
  Methods: [
    "packets",
    "harvest",
    "import",
    "workflows",
    "starting-runs",
    "dialectic",
    "dialectic-formats",
    "dialectic-content",
    "team",
    "teams",
    "session",
    "sessions",
  ],
  "Ways in": ["agents", "library", "notices", "cli", "api"],
  "Keep it": ["models", "security", "safeguards", "asvs", "postgres", "moving", "telemetry"],
};

const GENERATED: Readonly<Record<string, string>> = { cli: "Commands", api: "HTTP API" };

export interface DocPage {
  readonly name: string;
  readonly title: string;
  readonly heading: string;
}

export function listPages(): readonly DocPage[] {
  const written = readdirSync(DOCS)
    .filter((file) => file.endsWith(".md"))
    .map((file) => file.slice(0, -".md".length));
  const there = new Set([...written, ...Object.keys(GENERATED)]);
  const placed = Object.entries(CONTENTS).flatMap(([heading, names]) =>
    names.filter((name) => there.has(name)).map((name) => ({ name, heading })),
  );
  const known = new Set(placed.map(({ name }) => name));
  const rest = written
    .filter((name) => !known.has(name))
    .map((name) => ({ name, heading: "More" }));
  return [...placed, ...rest].map((page) => ({ ...page, title: titleOf(page.name) }));
}

export async function buildDocs(target: string): Promise<void> {
  mkdirSync(target, { recursive: true });
  const pages = listPages();
  const operations = await loadOperations(listNouns(() => ""));
  const { ownGroups } = (await import(OWN_COMMANDS)) as {
    readonly ownGroups: readonly CommandGroup[];
  };
  const own = (await Promise.all(ownGroups.map((group) => group.load(undefined)))).flat();
  const commands = [
    ...own,
    ...operations.map((operation) => toCommand(describeCommand(operation))),
  ];
  const bodies: Readonly<Record<string, () => string>> = {
    cli: () => commandReference(commands),
    api: () => apiReference(operations),
  };
  for (const page of pages) {
    const body = bodies[page.name]?.() ?? renderMarkdown(readPage(page.name));
    writeFileSync(path.join(target, `${page.name}.html`), layOut(page, pages, body));
  }
  const [first] = pages;
  if (first !== undefined)
    copyFileSync(path.join(target, `${first.name}.html`), path.join(target, "index.html"));
  const styles = ["tokens.css"].map((file) => readFileSync(path.join(STYLES, file), "utf8"));
  writeFileSync(path.join(target, "docs.css"), [...styles, OWN_STYLE].join("\n"));
}

function readPage(name: string): string {
  return readFileSync(path.join(DOCS, `${name}.md`), "utf8");
}

function titleOf(name: string): string {
  const [, heading] = GENERATED[name] === undefined ? (/^# (.+)$/m.exec(readPage(name)) ?? []) : [];
  return GENERATED[name] ?? heading ?? name;
}

function renderMarkdown(text: string): string {
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text: plain }) {
        return `<h${depth} id="${slug(plain)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(addressOf(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      html: ({ text: raw }) => escapeHtml(raw),
    },
  });
  const html = marked.parse(text, { async: false });
  // Wide tables and code scroll by themselves.
  return html
    .replaceAll("<table>", '<div class="wide"><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll(/ align="(\w+)"/g, ' class="$1"');
}

/** Pages link to each other by file; what is outside of the site is named, not linked. */
function addressOf(href: string): string {
  if (/^https?:/.test(href)) return href;
  const [, name, place = ""] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  return name === undefined ? "#" : `/docs/${name}.html${place}`;
}

function layOut({ name, title }: DocPage, pages: readonly DocPage[], body: string): string {
  const groups = [...Map.groupBy(pages, ({ heading }) => heading)];
  const nav = groups
    .map(([heading, under]) => {
      const links = under.map((page) => {
        const here = page.name === name ? ' aria-current="page"' : "";
        return `<li><a href="/docs/${page.name}.html"${here}>${escapeHtml(page.title)}</a></li>`;
      });
      return `<h2>${escapeHtml(heading)}</h2>\n<ul>${links.join("")}</ul>`;
    })
    .join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · ${PROGRAM.title}</title>
<link rel="stylesheet" href="/docs/docs.css">
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<nav aria-label="Pages"><p class="brand"><a href="/docs/">${PROGRAM.title}</a> <span>${PROGRAM.version}</span></p>
${nav}
<p class="back"><a href="/">To the workspace</a></p>
</nav>
<main id="text">
${body}
</main>
</body>
</html>
`;
}

function commandReference(commands: readonly Command[]): string {
  const groups = [...Map.groupBy(commands, ({ words: [first = ""] }) => first)].toSorted(
    ([a], [b]) => (a < b ? -1 : 1),
  );
  const index = groups.map(([word]) => `<a href="#${word}">${word}</a>`).join(" · ");
  const parts = groups.map(
    ([word, under]) =>
      `<h2 id="${word}">${escapeHtml(word)}</h2>\n${under.map((command) => describeOne(command)).join("\n")}`,
  );
  return `<h1>Commands</h1>
<p>Made from the operations of version ${PROGRAM.version}. Every command takes <code>-C DIR</code>, <code>--json</code>, <code>--yes</code>, <code>--no-input</code>, <code>--quiet</code>, <code>--help</code>; <code>throughline completion bash|zsh|fish</code> prints a completion script.</p>
<p class="index">${index}</p>
${parts.join("\n")}`;
}

function describeOne({ words, summary, fields, hints }: Command): string {
  const places = hints.positionals ?? [];
  const usage = [PROGRAM.name, ...words, ...places.map((name) => `<${flagOf(name)}>`)].join(" ");
  const rows = fields.map((field) => {
    const name = places.includes(field.name) ? `<${flagOf(field.name)}>` : flagText(field);
    return `<tr><td><code>${escapeHtml(name)}</code></td><td>${inline(noteOf(field))}</td></tr>`;
  });
  const examples = (hints.examples ?? []).map((example) => `${PROGRAM.name} ${example}`);
  return [
    `<h3><code>${escapeHtml(usage)}</code></h3>`,
    `<p>${inline(summary)}</p>`,
    rows.length === 0 ? "" : `<div class="wide"><table>${rows.join("")}</table></div>`,
    examples.length === 0 ? "" : `<pre><code>${escapeHtml(examples.join("\n"))}</code></pre>`,
  ].join("\n");
}

function flagText(field: InputField): string {
  const flag = `--${flagOf(field.name)}`;
  return field.kind === "boolean" && !field.isList ? flag : `${flag} ${valueName(field)}`;
}

function noteOf({ description = "", isRequired, isList, default: value }: InputField): string {
  const notes = [
    ...(isRequired ? ["required"] : []),
    ...(isList ? ["may be repeated"] : []),
    ...(value === undefined || value === false || (Array.isArray(value) && value.length === 0)
      ? []
      : [`default \`${JSON.stringify(value)}\``]),
  ];
  return `${description}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`;
}

function apiReference(operations: readonly Operation[]): string {
  const groups = [...Map.groupBy(operations, (operation) => nounOf(operation))];
  const index = groups.map(([noun]) => `<a href="#noun-${noun}">${noun}</a>`).join(" · ");
  const parts = groups.map(
    ([noun, under]) =>
      `<h2 id="noun-${noun}">${noun}</h2>\n${under.map((operation) => describeOperation(operation)).join("\n")}`,
  );
  return `<h1>HTTP API</h1>
<p>Made from the operations of version ${PROGRAM.version}; the same as OpenAPI 3.1 is at <code>/api/openapi.json</code>. <code>noun.verb</code> is <code>POST /api/v1/noun/verb</code> with its input as a JSON object; what only reads also answers <code>GET</code> with query parameters. Send <code>Authorization: Bearer TOKEN</code>. <code>Idempotency-Key</code> makes a change happen once, <code>If-Match</code> refuses a stale one, <code>Accept: text/event-stream</code> asks for progress. Failures are RFC 9457 problems with a permanent <code>code</code>.</p>
<p class="index">${index}</p>
${parts.join("\n")}`;
}

function describeOperation(operation: Operation): string {
  const { name, summary, effect, permission, input, output } = operation;
  const method = effect === "reads" ? "GET, POST" : "POST";
  const address = `/api/v1/${name.replace(".", "/")}`;
  const taken = inputFields(input).map((field) => {
    const kind = `${field.isList ? "list of " : ""}${field.choices?.join(" | ") ?? field.kind}`;
    return `<tr><td><code>${field.name}</code></td><td>${escapeHtml(kind)}</td><td>${inline(noteOf(field))}</td></tr>`;
  });
  const given = Object.keys(toJsonSchema(output, "output").properties ?? {});
  return [
    `<h3 id="${name}"><code>${method} ${address}</code></h3>`,
    `<p>${inline(summary)} <span class="facts">${effect}, needs <code>${permission}</code></span></p>`,
    taken.length === 0 ? "" : `<div class="wide"><table>${taken.join("")}</table></div>`,
    given.length === 0
      ? ""
      : `<p>Gives ${given.map((field) => `<code>${field}</code>`).join(", ")}.</p>`,
  ].join("\n");
}

/** Summaries and descriptions mark code with backticks. */
function inline(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\w]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

const OWN_STYLE = `
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 220px minmax(0, 1fr); min-height: 100vh; font: 15px/1.6 var(--sans); color: var(--text); background: var(--surface); }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 2px; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: var(--r1); }
nav { padding: var(--s7) var(--s6); background: var(--sunken); border-right: 1px solid var(--line); position: sticky; top: 0; height: 100vh; overflow-y: auto; font: var(--t-body); }
nav h2 { margin: var(--s6) 0 var(--s2); font: var(--t-small); color: var(--muted); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: 3px var(--s4); margin: 0 calc(-1 * var(--s4)); border-radius: var(--r2); color: var(--text); text-decoration: none; }
nav li a:hover { background: var(--hover); }
nav li a[aria-current] { background: var(--accent-tint); color: var(--accent); font-weight: 600; }
nav .brand { margin: 0; font: var(--t-head); }
nav .brand a { color: var(--text); text-decoration: none; }
nav .brand span { font: var(--t-micro); color: var(--muted); }
nav .back { margin-top: var(--s7); }
main { padding: var(--s8) var(--s9) 96px; max-width: 860px; }
h1 { margin: 0 0 var(--s6); font: 600 28px/36px var(--sans); letter-spacing: -0.01em; }
h2 { margin: 40px 0 var(--s5); font: 600 19px/26px var(--sans); }
h3 { margin: var(--s7) 0 var(--s4); font: var(--t-head); }
main h2[id], main h3[id] { scroll-margin-top: var(--s6); }
code { font: 0.88em/1.5 var(--mono); background: var(--sunken); border: 1px solid var(--line); border-radius: var(--r1); padding: 1px 4px; overflow-wrap: anywhere; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: var(--r3); padding: var(--s5) var(--s6); overflow-x: auto; }
pre code { border: 0; padding: 0; background: none; overflow-wrap: normal; font: 13px/20px var(--mono); }
h3 code { background: none; border: 0; padding: 0; font-weight: 600; }
.wide { overflow-x: auto; margin: var(--s5) 0; }
table { border-collapse: collapse; font: 14px/1.5 var(--sans); }
th, td { text-align: left; vertical-align: top; padding: var(--s3) var(--s6) var(--s3) 0; border-bottom: 1px solid var(--line); }
td:first-child code { white-space: nowrap; overflow-wrap: normal; }
th { color: var(--muted); font-weight: 500; }
.right { text-align: right; }
.center { text-align: center; }
.index { line-height: 2; }
.facts { color: var(--muted); font: var(--t-small); }
.skip { position: absolute; left: -999px; }
.skip:focus { left: var(--s4); top: var(--s4); background: var(--raised); padding: var(--s4); z-index: 1; }
@media (width < 760px) {
  body { display: flex; flex-direction: column; }
  nav { order: 2; position: static; height: auto; border-right: 0; border-top: 1px solid var(--line); }
  main { padding: var(--s7) var(--s6) 64px; }
}
`;
