/**
 * A field for text with colours, completion and marks. It stands in a shadow root: there its styles are made without
 * any style element, so the page's policy needs no exception for them.
 */

import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import {
  Compartment,
  EditorState,
  RangeSetBuilder,
  StateEffect,
  StateField,
} from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  type PluginValue,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { useEffect, useRef } from "react";
import { useNewest } from "../data/use-newest.ts";
import { theme } from "./editor-theme.ts";
import { placeTokens, type Token, tokensOf } from "./workflow-tokens.ts";

export interface Mark {
  /** Characters from the beginning. */
  readonly from: number;
  readonly to: number;
  readonly severity: "error" | "warning";
  readonly message: string;
}

export interface Suggestion {
  readonly path: string;
  readonly detail: string;
  readonly info: string;
}

export interface CodeEditorProps {
  readonly label: string;
  readonly kind: "workflow" | "prompt";
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly isReadOnly?: boolean;
  readonly marks?: readonly Mark[];
  /** Lines that belong to what is chosen elsewhere, the first being 1. */
  readonly lines?: readonly { readonly from: number; readonly to: number }[];
  readonly onCursor?: (line: number, column: number) => void;
  /** Goes there when it changes. */
  readonly goTo?: { readonly at: number; readonly since: number } | undefined;
  readonly suggest?: () => Promise<readonly Suggestion[]>;
}

export default function CodeEditor(props: CodeEditorProps) {
  const { label, kind, text, isReadOnly = false, marks, lines, goTo } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const newest = useNewest(props);
  useEffect(() => {
    const { current } = host;
    if (current === null) return;
    const root = current.shadowRoot ?? current.attachShadow({ mode: "open" });
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: newest.current.text,
        extensions: [
          theme,
          kind === "workflow" ? [lineNumbers(), lintGutter(), highlightActiveLine()] : [],
          EditorView.lineWrapping,
          drawSelection(),
          history(),
          closeBrackets(),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.contentAttributes.of({
            "aria-label": label,
            "aria-multiline": "true",
            // What can only be read is scrolled by keys, too.
            tabindex: "0",
          }),
          colours(kind === "workflow" ? tokensOf : placeTokens),
          chosenLines,
          readOnly.of(readOnlyExtension(newest.current.isReadOnly ?? false)),
          completion((context) => complete(context, newest.current.suggest)),
          EditorView.updateListener.of((update) => {
            const { onChange, onCursor } = newest.current;
            if (update.docChanged && !update.transactions.some(isFromOutside))
              onChange(update.state.doc.toString());
            if (!update.docChanged && !update.selectionSet) return;
            const { head } = update.state.selection.main;
            const line = update.state.doc.lineAt(head);
            onCursor?.(line.number, head - line.from + 1);
          }),
        ],
      }),
    });
    view.current = made;
    return () => {
      view.current = undefined;
      made.destroy();
    };
  }, [kind, label, newest]);
  useEffect(() => {
    if (view.current !== undefined) replaceText(view.current, text);
  }, [text]);
  useEffect(() => {
    view.current?.dispatch({ effects: readOnly.reconfigure(readOnlyExtension(isReadOnly)) });
  }, [isReadOnly]);
  useEffect(() => {
    const { current } = view;
    if (current === undefined) return;
    current.dispatch(setDiagnostics(current.state, diagnostics(current.state, marks ?? [])));
  }, [marks]);
  useEffect(() => {
    view.current?.dispatch({ effects: showLines.of(lines ?? []) });
  }, [lines]);
  useEffect(() => {
    const { current } = view;
    if (current === undefined || goTo === undefined) return;
    const at = Math.min(goTo.at, current.state.doc.length);
    current.dispatch({
      selection: { anchor: at },
      effects: EditorView.scrollIntoView(at, { y: "center" }),
    });
    current.focus();
  }, [goTo]);
  return <div className="code-editor" data-kind={kind} ref={host} />;
}

const readOnly = new Compartment();

function readOnlyExtension(isReadOnly: boolean) {
  return [EditorState.readOnly.of(isReadOnly), EditorView.editable.of(!isReadOnly)];
}

const OUTSIDE = StateEffect.define();

function isFromOutside({
  effects,
}: {
  readonly effects: readonly StateEffect<unknown>[];
}): boolean {
  return effects.some((effect) => effect.is(OUTSIDE));
}

/** Only what differs is replaced: the cursor stays where it is, and one undo takes it back. */
function replaceText(view: EditorView, text: string): void {
  const before = view.state.doc.toString();
  if (before === text) return;
  const most = Math.min(before.length, text.length);
  let from = 0;
  while (from < most && before[from] === text[from]) from += 1;
  let same = 0;
  while (same < most - from && before.at(-1 - same) === text.at(-1 - same)) same += 1;
  view.dispatch({
    changes: { from, to: before.length - same, insert: text.slice(from, text.length - same) },
    effects: OUTSIDE.of(null),
  });
}

function diagnostics({ doc }: EditorState, marks: readonly Mark[]): Diagnostic[] {
  return marks
    .filter(({ from }) => from <= doc.length)
    .map(({ from, to, severity, message }) => ({
      from,
      to: Math.max(from, Math.min(to, doc.length)),
      severity,
      message,
    }));
}

function colours(tokensIn: (line: string) => readonly Token[]) {
  const draw = (view: EditorView): DecorationSet => {
    const found = new RangeSetBuilder<Decoration>();
    for (const { from, to } of view.visibleRanges) {
      for (let at = from; at <= to; ) {
        const line = view.state.doc.lineAt(at);
        for (const token of tokensIn(line.text))
          found.add(line.from + token.from, line.from + token.to, COLOURS[token.kind]);
        at = line.to + 1;
      }
    }
    return found.finish();
  };
  class Colours implements PluginValue {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = draw(view);
    }
    update({ view, docChanged, viewportChanged }: ViewUpdate) {
      if (docChanged || viewportChanged) this.decorations = draw(view);
    }
  }
  return ViewPlugin.fromClass(Colours, { decorations: ({ decorations }) => decorations });
}

const mark = (kind: Token["kind"]) => Decoration.mark({ class: `t-${kind}` });
const COLOURS: Readonly<Record<Token["kind"], Decoration>> = {
  id: mark("id"),
  comment: mark("comment"),
  string: mark("string"),
  key: mark("key"),
  arrow: mark("arrow"),
  word: mark("word"),
  number: mark("number"),
  place: mark("place"),
};

const showLines = StateEffect.define<NonNullable<CodeEditorProps["lines"]>>();
const chosenLine = Decoration.line({ class: "chosen" });

const chosenLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, { effects, state, docChanged, changes }) {
    const asked = effects.find((effect) => effect.is(showLines));
    if (asked === undefined) return docChanged ? shown.map(changes) : shown;
    const found = new RangeSetBuilder<Decoration>();
    const numbers = asked.value.flatMap(({ from, to }) =>
      Array.from({ length: to - from + 1 }, (_, n) => from + n),
    );
    for (const number of [...new Set(numbers)].toSorted((a, b) => a - b))
      if (number >= 1 && number <= state.doc.lines) {
        const { from } = state.doc.line(number);
        found.add(from, from, chosenLine);
      }
    return found.finish();
  },
  provide: (field) => EditorView.decorations.from(field),
});

function completion(source: (context: CompletionContext) => Promise<CompletionResult | null>) {
  return autocompletion({ override: [source], icons: false, activateOnTyping: true });
}

/** Between braces, what may stand there. */
async function complete(
  context: CompletionContext,
  suggest: CodeEditorProps["suggest"],
): Promise<CompletionResult | null> {
  const before = context.matchBefore(/\{\{\s*[\w.$[\]]*/);
  if (before === null || suggest === undefined) return null;
  const typed = /[\w.$[\]]*$/.exec(before.text)?.[0] ?? "";
  const options = await suggest();
  return {
    from: context.pos - typed.length,
    options: options.map(({ path, detail, info }, n) => ({
      label: path,
      detail,
      info,
      boost: -n / 10,
      apply: (view, _completion, from, to) => {
        const isClosed = view.state
          .sliceDoc(to, to + 4)
          .trimStart()
          .startsWith("}}");
        const insert = isClosed ? path : `${path}}}`;
        view.dispatch({
          changes: { from, to, insert },
          selection: { anchor: from + insert.length },
        });
      },
    })),
    validFor: /^[\w.$[\]]*$/,
  };
}
