// Looking for fields in all kinds. The schemas are loaded when somebody first looks.
import { session } from "./session.ts";
import { pathText, schemasOf, walk } from "./schema.ts";
import type { Kind } from "./kinds.ts";

export interface FieldHit {
  kind: Kind;
  path: string;
  steps: string[];
}

const DEPTH = 6;
const HITS_MAX = 60;

let index: { kinds: Kind[]; fields: Promise<FieldHit[]> } | undefined;

async function build(kinds: Kind[]): Promise<FieldHit[]> {
  const found: FieldHit[] = [];
  for (const kind of kinds) {
    try {
      const schemas = await schemasOf(kind);
      const root = schemas.of(kind);
      if (root === undefined) continue;
      walk(
        schemas,
        root,
        (steps) => {
          if (steps.length > 0 && steps[0] !== "metadata") {
            found.push({ kind, path: pathText(steps), steps });
          }
        },
        DEPTH,
      );
    } catch {
      // A group whose schemas cannot be had has no fields to find.
    }
  }
  return found;
}

/** Fields whose name or path contains the query, exact names first. */
export async function findFields(query: string): Promise<FieldHit[]> {
  const kinds = session.value.kinds;
  if (index?.kinds !== kinds) index = { kinds, fields: build(kinds) };
  const wanted = query.trim().toLowerCase().replace(/^\./, "");
  const hits = (await index.fields).filter((it) => it.path.toLowerCase().includes(wanted));
  const score = (hit: FieldHit) => {
    const name = hit.steps.at(-1)?.toLowerCase() ?? "";
    return name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2;
  };
  return hits.sort((a, b) => score(a) - score(b) || a.path.length - b.path.length).slice(0, HITS_MAX);
}
