// The editor: a text, the server's verdict on it as one types, and the deed after a confirmation.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, ask, get } from "../client.ts";
import { remove } from "../deeds.ts";
import { bare, isTree, mergePatch, withoutManagers, type Tree } from "../diff.ts";
import { createEditor, NO_MARKS, type Editor } from "../editor.ts";
import { pathOf, type Kind } from "../kinds.ts";
import { go, link } from "../route.ts";
import { sample, type Size } from "../sample.ts";
import type { Schemas } from "../schema.ts";
import { words } from "../store.ts";
import { judge, nameOf, send, type Deed, type Verb, type Verdict } from "../verdict.ts";
import { read, withValue, write } from "../yaml.ts";
import { confirm } from "./confirm.tsx";
import { Form } from "./form.tsx";
import { VerdictPanel } from "./verdict.tsx";

interface Props {
  kind: Kind;
  schemas: Schemas;
  namespace: string | undefined;
  name: string | undefined;
}

/** How long somebody has to stop typing before the server is asked. */
const PAUSE_MS = 300;

export function Try({ kind, schemas, namespace, name }: Props) {
  const root = useMemo(() => schemas.open(schemas.of(kind)), [schemas, kind]);
  const [text, setText] = useState("");
  const [verb, setVerb] = useState<Verb>(name === undefined ? "create" : "apply");
  const [stored, setStored] = useState<Tree | undefined>(undefined);
  const [force, setForce] = useState(false);
  const [formShown, setFormShown] = useState(false);
  const [message, setMessage] = useState("");
  const [base, setBase] = useState(0);
  useEffect(() => {
    if (name === undefined) {
      setText(write(sample(kind, schemas, "minimal")));
      return;
    }
    const path = pathOf(kind, namespace === "-" ? "" : namespace, name);
    get<Tree>(path).then(
      (object) => {
        setStored(object);
        setText((now) => now || write(withoutStatus(bare(object) as Tree)));
      },
      (error: unknown) => setMessage(words(error)),
    );
  }, [base]);
  const { verdict, stale } = useVerdict(kind, { verb, force }, text, stored);
  const act = async () => {
    const object = read(text).value;
    const { name: own, namespace: place } = nameOf(kind, object);
    const shown = verdict.patch === undefined ? text : write(verdict.patch);
    if (!(await confirm(`${title(verb)} ${kind.kind} ${own}?`, shown, title(verb)))) return;
    try {
      const answer = await send(kind, { verb, force }, text, object, false);
      const made = nameOf(kind, answer.value);
      setStored(answer.value);
      setMessage("");
      setBase(base + 1);
      go(link(kind, "object", made.namespace || place || "-", made.name || own));
    } catch (error) {
      setMessage(words(error));
    }
  };
  const choose = (next: Verb) => {
    setVerb(next);
    // A replacement says which version of the object it replaces.
    const version = isTree(stored?.metadata) ? stored.metadata.resourceVersion : undefined;
    if (stored !== undefined)
      setText(withValue(text, ["metadata", "resourceVersion"], next === "replace" ? version : undefined));
  };
  const onDelete = async () => {
    try {
      if (await remove(kind, namespace === "-" ? "" : (namespace ?? ""), name ?? ""))
        go(link(kind, "objects"));
    } catch (error) {
      setMessage(words(error));
    }
  };
  const load = (size: Size) => setText(write(sample(kind, schemas, size)));
  return (
    <div class="try">
      <div class="tools">
        <label>
          Verb{" "}
          <select id="verb" value={verb} onChange={(event) => choose(event.currentTarget.value as Verb)}>
            <option value="create">create</option>
            <option value="apply">apply</option>
            <option value="replace" disabled={name === undefined}>
              replace
            </option>
          </select>
        </label>
        {verb === "apply" && (
          <label>
            <input
              type="checkbox"
              checked={force}
              onChange={(event) => setForce(event.currentTarget.checked)}
            />{" "}
            take over fields of others
          </label>
        )}
        <div class="segments" role="group" aria-label="Form of the editor">
          <button aria-pressed={!formShown} onClick={() => setFormShown(false)}>
            YAML
          </button>
          <button aria-pressed={formShown} onClick={() => setFormShown(true)}>
            Form
          </button>
        </div>
        <span class="hint">Sample:</span>
        <button onClick={() => load("minimal")}>minimal</button>
        <button onClick={() => load("full")}>full</button>
        <button class="primary" id="act" disabled={stale || verdict.ok !== true} onClick={() => void act()}>
          {title(verb)}…
        </button>
        {stored !== undefined && (
          <Patch
            kind={kind}
            stored={stored}
            text={text}
            disabled={stale || verdict.ok !== true}
            onError={setMessage}
          />
        )}
        {stored !== undefined && (
          <button class="danger" onClick={() => void onDelete()}>
            Delete…
          </button>
        )}
      </div>
      {message !== "" && (
        <p class="error" role="alert">
          {message}
        </p>
      )}
      <div class="panes">
        {formShown ? (
          <Form
            kind={kind}
            schemas={schemas}
            root={root}
            text={text}
            onChange={setText}
            problems={verdict.problems}
          />
        ) : (
          <YamlEditor kind={kind} schemas={schemas} text={text} onChange={setText} verdict={verdict} />
        )}
        <VerdictPanel
          kind={kind}
          schemas={schemas}
          root={root}
          verdict={verdict}
          stale={stale}
          text={text}
          stored={stored && withoutManagers(stored)}
        />
      </div>
    </div>
  );
}

function title(verb: Verb): string {
  return { create: "Create", apply: "Apply", replace: "Replace" }[verb];
}

function withoutStatus({ status: _, ...object }: Tree): Tree {
  return object;
}

/** Sends only what differs from the stored object, as a merge patch. */
function Patch({
  kind,
  stored,
  text,
  disabled,
  onError,
}: {
  kind: Kind;
  stored: Tree;
  text: string;
  disabled: boolean;
  onError: (why: string) => void;
}) {
  const act = async () => {
    const object = read(text).value;
    const patch = mergePatch(withoutStatus(bare(stored) as Tree), withoutStatus(bare(object) as Tree));
    if (patch === undefined) return onError("there is nothing to change");
    const { name, namespace } = nameOf(kind, stored);
    if (!(await confirm(`Patch ${kind.kind} ${name}?`, write(patch), "Patch"))) return;
    try {
      const path = `${pathOf(kind, namespace, name)}?fieldManager=explorer`;
      await ask(path, {
        method: "PATCH",
        contentType: "application/merge-patch+json",
        body: JSON.stringify(patch),
      });
      go(link(kind, "object", namespace || "-", name));
    } catch (error) {
      onError(words(error));
    }
  };
  return (
    <button disabled={disabled} onClick={() => void act()}>
      Patch…
    </button>
  );
}

interface Judged {
  verdict: Verdict;
  /** Whether the text has changed since; then nothing is done by the verdict. */
  stale: boolean;
}

const UNKNOWN: Verdict = { ok: undefined, problems: [], marks: NO_MARKS, dropped: [], cleared: [] };

/** The server's verdict on a text, a moment after the last letter. */
function useVerdict(kind: Kind, { verb, force }: Deed, text: string, stored: Tree | undefined): Judged {
  const question = [verb, force, text].join();
  const [{ verdict, about }, setJudged] = useState({ verdict: UNKNOWN, about: "" });
  const setVerdict = (verdict: Verdict) => setJudged({ verdict, about: question });
  useEffect(() => {
    if (text === "") return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      judge(kind, { verb, force }, text, stored, abort.signal).then(
        (it) => abort.signal.aborted || setVerdict(it),
        (error: unknown) => {
          if (abort.signal.aborted) return;
          const reason = error instanceof ApiError ? (error.status.reason ?? "") : "Connection";
          const problem = { message: words(error), field: "", reason, line: 0, severity: "error" as const };
          setVerdict({ ...UNKNOWN, problems: [problem] });
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [kind, verb, force, text, stored]);
  return { verdict, stale: about !== question };
}

interface EditorProps {
  kind: Kind;
  schemas: Schemas;
  text: string;
  onChange: (text: string) => void;
  verdict: Verdict;
}

function YamlEditor({ kind, schemas, text, onChange, verdict }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | undefined>(undefined);
  useEffect(() => {
    if (host.current === null) return;
    const made = createEditor(host.current, text, `${kind.kind} as YAML`, onChange);
    made.setLanguage({ schemas, root: schemas.open(schemas.of(kind)) });
    editor.current = made;
    const toLine = (event: Event) => made.focusLine((event as CustomEvent<number>).detail);
    addEventListener("ordain-line", toLine);
    return () => {
      removeEventListener("ordain-line", toLine);
      made.view.destroy();
      editor.current = undefined;
    };
  }, []);
  useEffect(() => editor.current?.setText(text), [text]);
  useEffect(() => editor.current?.setMarks(verdict.marks), [verdict]);
  return <div class="editor" ref={host} />;
}
