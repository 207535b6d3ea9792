// The YAML editor: CodeMirror with the kind's schema for completion and hover, and with what the
// server said about the text: errors at lines, defaults as ghost lines, dropped fields struck out.
//
// It lives in a shadow root, where its styles are constructed sheets: the page's security policy
// allows no style elements.
import {
  autocompletion,
  completionKeymap,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, RangeSetBuilder, StateEffect, StateField, type Text } from "@codemirror/state";
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  hoverTooltip,
  keymap,
  lineNumbers,
  WidgetType,
  type DecorationSet,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { pathText, typeOf, type Schema, type Schemas } from "./schema.ts";
import { enclosing, pathAtLine } from "./yaml.ts";

/** What is shown inside of the text besides the text. */
export interface Marks {
  problems: { from: number; to: number; message: string; severity: "error" | "warning" }[];
  /** Lines that the server would add, below a line of the text. */
  ghosts: { line: number; text: string }[];
  /** Ranges that the server would drop. */
  dropped: { from: number; to: number }[];
}

export const NO_MARKS: Marks = { problems: [], ghosts: [], dropped: [] };

class Ghost extends WidgetType {
  constructor(private readonly text: string) {
    super();
  }

  override eq(other: Ghost): boolean {
    return other.text === this.text;
  }

  override toDOM(): HTMLElement {
    const made = document.createElement("div");
    made.className = "cm-ghost";
    made.textContent = this.text;
    made.setAttribute("aria-label", `defaults: ${this.text}`);
    return made;
  }
}

const setMarks = StateEffect.define<Marks>();

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    let next = shown.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) next = decorations(effect.value, transaction.state.doc);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorations(value: Marks, text: Text): DecorationSet {
  const found: { from: number; to: number; decoration: Decoration }[] = [];
  for (const { from, to } of value.dropped) {
    if (from < to && to <= text.length) {
      found.push({
        from,
        to,
        decoration: Decoration.mark({ class: "cm-dropped", attributes: { title: "the server drops this" } }),
      });
    }
  }
  for (const { line, text: ghost } of value.ghosts) {
    if (line >= text.lines) continue;
    const at = text.line(line + 1).to;
    const decoration = Decoration.widget({ widget: new Ghost(ghost), block: true, side: 1 });
    found.push({ from: at, to: at, decoration });
  }
  found.sort((a, b) => a.from - b.from || a.decoration.startSide - b.decoration.startSide);
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to, decoration } of found) builder.add(from, to, decoration);
  return builder.finish();
}

const colors = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-key)" },
  { tag: [tags.string, tags.content], color: "var(--code-text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.separator, tags.punctuation], color: "var(--muted)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "13px" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--accent)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--muted)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
  ".cm-ghost": { color: "var(--muted)", fontStyle: "italic", whiteSpace: "pre", padding: "0 6px" },
  ".cm-dropped": { textDecoration: "line-through", color: "var(--muted)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--text)",
    border: "1px solid var(--line)",
    borderRadius: "6px",
    boxShadow: "var(--shadow)",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent)",
    color: "var(--on-accent)",
  },
  ".cm-hover": { padding: "8px 10px", maxWidth: "420px" },
  ".cm-hover-path": { fontFamily: "var(--mono)", fontWeight: "600" },
  ".cm-diagnostic": { padding: "6px 10px" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--text)" },
});

export interface Language {
  schemas: Schemas;
  root: Schema;
}

export interface Editor {
  view: EditorView;
  setText: (text: string) => void;
  setMarks: (marks: Marks) => void;
  setLanguage: (language: Language | undefined) => void;
  focusLine: (line: number) => void;
}

export function createEditor(
  host: HTMLElement,
  text: string,
  label: string,
  onChange: (text: string) => void,
): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  let language: Language | undefined;
  let quiet = false;
  // What was typed comes back by way of the page, perhaps after more was typed; it is no news.
  let told: string[] = [];
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        indentUnit.of("  "),
        yaml(),
        syntaxHighlighting(colors),
        theme,
        marks,
        lintGutter(),
        search({ top: true }),
        autocompletion({ override: [(context) => complete(context, language)], icons: false }),
        hoverTooltip((editor, at) => hover(editor, at, language)),
        keymap.of([...defaultKeymap, ...historyKeymap, ...completionKeymap, ...searchKeymap, ...lintKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged || quiet) return;
          const now = update.state.doc.toString();
          told.push(now);
          onChange(now);
        }),
      ],
    }),
  });
  return {
    view,
    setText(next) {
      const echo = told.lastIndexOf(next);
      told = told.slice(echo + 1);
      if (echo >= 0 || next === view.state.doc.toString()) return;
      quiet = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
      quiet = false;
    },
    setMarks(next) {
      const length = view.state.doc.length;
      const problems: Diagnostic[] = next.problems.map((it) => ({
        from: Math.min(it.from, length),
        to: Math.min(it.to, length),
        severity: it.severity,
        message: it.message,
      }));
      view.dispatch({ effects: setMarks.of(next) });
      view.dispatch(setDiagnostics(view.state, problems));
    },
    setLanguage(next) {
      language = next;
    },
    focusLine(line) {
      const at = view.state.doc.line(Math.min(line + 1, view.state.doc.lines)).from;
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
  };
}

function linesOf(text: Text): string[] {
  return text.toJSON();
}

/** The names of fields that may come here, or the values of the field of this line. */
export function complete(
  context: CompletionContext,
  language: Language | undefined,
): CompletionResult | null {
  if (language === undefined) return null;
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const lines = linesOf(context.state.doc);
  const value = /^[\s-]*[^\s:#][^:#]*:\s+(\S*)$/.exec(before);
  if (value !== null) {
    const path = pathAtLine(lines, line.number - 1);
    const schema = language.schemas.at(language.root, path);
    const options = values(schema);
    return options.length === 0 ? null : { from: context.pos - (value[1] ?? "").length, options };
  }
  const name = /^([\s-]*)([\w./-]*)$/.exec(before);
  if (name === null || (!context.explicit && name[2] === "")) return null;
  const column = (name[1] ?? "").length;
  const schema = language.schemas.at(language.root, enclosing(lines, line.number - 1, column));
  if (schema === undefined) return null;
  const options = fields(language.schemas, schema, siblings(lines, line.number - 1, column));
  return { from: line.from + column, options };
}

function values(schema: Schema | undefined): Completion[] {
  const known = schema?.enum ?? (schema?.type === "boolean" ? [true, false] : []);
  const given = schema?.default === undefined ? [] : [schema.default];
  const texts = [...known, ...given].map((it) => (typeof it === "string" ? it || '""' : JSON.stringify(it)));
  return [...new Set(texts)].map((label) => ({ label, type: "enum" }));
}

function fields(schemas: Schemas, schema: Schema, taken: Set<string>): Completion[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => !taken.has(name))
    .map(([name, property]) => {
      const inner = schemas.open(property);
      const nested = inner.properties !== undefined || inner.type === "array";
      return {
        label: name,
        apply: nested ? `${name}:` : `${name}: `,
        detail: typeOf(schemas, inner) + (required.has(name) ? ", required" : ""),
        info: inner.description ?? "",
        boost: required.has(name) ? 1 : 0,
        type: "property",
      };
    });
}

/** The keys that are there already, beside a new one at this line and column. */
function siblings(lines: readonly string[], at: number, column: number): Set<string> {
  const own = enclosing(lines, at, column).join("\0");
  const found = new Set<string>();
  lines.forEach((line, number) => {
    if (number === at || line.trim() === "") return;
    const path = pathAtLine(lines, number);
    const name = path.at(-1);
    if (name !== undefined && path.slice(0, -1).join("\0") === own && !own.includes("[]")) found.add(name);
  });
  return found;
}

function hover(view: EditorView, at: number, language: Language | undefined) {
  if (language === undefined) return null;
  const line = view.state.doc.lineAt(at);
  const path = pathAtLine(linesOf(view.state.doc), line.number - 1);
  const schema = language.schemas.at(language.root, path);
  if (path.length === 0 || schema === undefined) return null;
  return {
    pos: line.from,
    end: line.to,
    above: true,
    create: () => {
      const dom = document.createElement("div");
      dom.className = "cm-hover";
      const put = (className: string, text: string) => {
        const part = dom.appendChild(document.createElement("div"));
        part.className = className;
        part.textContent = text;
      };
      put("cm-hover-path", pathText(path));
      put("cm-hover-type", typeOf(language.schemas, schema));
      if (schema.description) put("cm-hover-text", schema.description);
      return { dom };
    },
  };
}
