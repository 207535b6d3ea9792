// Owners and dependents of an object as a small graph.
import { get } from "../client.ts";
import { isTree, type Tree } from "../diff.ts";
import { atVersion, type Kind } from "../kinds.ts";
import { link } from "../route.ts";
import { session } from "../session.ts";
import { useLoaded, useStore } from "../store.ts";
import { pathOf } from "../kinds.ts";

interface Relative {
  title: string;
  detail: string;
  href: string | undefined;
}

interface Reference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
}

const METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
const PAGE = 500;

interface Listed {
  items: { metadata: { name: string; namespace?: string; ownerReferences?: Reference[] } }[];
}

/** Looks through the kinds of the object's namespace for what it owns. */
async function dependents(
  kinds: Kind[],
  namespace: string,
  uid: string,
  signal: AbortSignal,
): Promise<Relative[]> {
  const listed = kinds.filter((it) => it.verbs.includes("list") && (namespace === "" || it.namespaced));
  const found = await Promise.all(
    listed.map(async (kind): Promise<Relative[]> => {
      try {
        const page = await get<Listed>(`${pathOf(kind, kind.namespaced ? namespace : "")}?limit=${PAGE}`, {
          accept: METADATA,
          signal,
        });
        return page.items
          .filter(({ metadata }) => metadata.ownerReferences?.some((it) => it.uid === uid))
          .map(({ metadata }) => ({
            title: metadata.name,
            detail: kind.kind,
            href: link(kind, "object", metadata.namespace || "-", metadata.name),
          }));
      } catch {
        // What the viewer may not list is not shown.
        return [];
      }
    }),
  );
  return found.flat();
}

function ownersOf(kinds: Kind[], metadata: Tree): Relative[] {
  const references = (Array.isArray(metadata.ownerReferences) ? metadata.ownerReferences : []) as Reference[];
  return references.map((it) => {
    const [version = "", group = ""] = it.apiVersion.split("/").reverse();
    const kind = kinds.find((known) => known.group === group && known.kind === it.kind);
    const namespace = kind?.namespaced ? String(metadata.namespace ?? "") : "";
    const href = kind && link(atVersion(kind, version), "object", namespace || "-", it.name);
    return { title: it.name, detail: it.kind, href };
  });
}

const [WIDTH, HEIGHT, GAP] = [190, 46, 14];

export function Graph({ kind, object }: { kind: Kind; object: Tree }) {
  const { kinds } = useStore(session);
  const metadata = isTree(object.metadata) ? object.metadata : {};
  const uid = String(metadata.uid ?? "");
  const loaded = useLoaded(
    (signal) => dependents(kinds, String(metadata.namespace ?? ""), uid, signal),
    [uid],
  );
  const owners = ownersOf(kinds, metadata);
  const below = loaded.value ?? [];
  const self: Relative = { title: String(metadata.name ?? ""), detail: kind.kind, href: undefined };
  const rows = Math.max(owners.length, 1, below.length);
  const height = rows * (HEIGHT + GAP) + GAP;
  const columns: Relative[][] = [owners, [self], below];
  const x = (column: number) => column * (WIDTH + 70) + 8;
  const y = (count: number, at: number) =>
    (height - count * (HEIGHT + GAP)) / 2 + GAP / 2 + at * (HEIGHT + GAP);
  const middle = height / 2;
  return (
    <>
      <p class="hint" role="status">
        {owners.length} owners,{" "}
        {loaded.value === undefined ? "looking for dependents…" : `${below.length} dependents`}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Owners and dependents">
        <svg
          class="graph"
          width={3 * WIDTH + 160}
          height={height}
          role="group"
          aria-label="Owners to the left, dependents to the right"
        >
          {owners.map((_, at) => (
            <path
              key={at}
              class="edge"
              d={curve(x(0) + WIDTH, y(owners.length, at) + HEIGHT / 2, x(1), middle)}
            />
          ))}
          {below.map((_, at) => (
            <path
              key={at}
              class="edge"
              d={curve(x(1) + WIDTH, middle, x(2), y(below.length, at) + HEIGHT / 2)}
            />
          ))}
          {columns.map((members, column) =>
            members.map((it, at) => (
              <Node
                key={`${column}/${at}`}
                relative={it}
                x={x(column)}
                y={y(members.length, at)}
                self={column === 1}
              />
            )),
          )}
        </svg>
      </div>
    </>
  );
}

function curve(fromX: number, fromY: number, toX: number, toY: number): string {
  const half = (fromX + toX) / 2;
  return `M${fromX},${fromY} C${half},${fromY} ${half},${toY} ${toX},${toY}`;
}

function Node({ relative, x, y, self }: { relative: Relative; x: number; y: number; self: boolean }) {
  const body = (
    <g class={self ? "node self" : "node"} transform={`translate(${x},${y})`}>
      <rect width={WIDTH} height={HEIGHT} rx="8" />
      <text x="12" y="19">
        {short(relative.title)}
      </text>
      <text x="12" y="36" class="detail">
        {relative.detail}
      </text>
    </g>
  );
  return relative.href === undefined ? (
    body
  ) : (
    <a href={relative.href} aria-label={`${relative.detail} ${relative.title}`}>
      {body}
    </a>
  );
}

function short(text: string): string {
  return text.length > 24 ? `${text.slice(0, 23)}…` : text;
}
