// What the server serves: kinds by group, from its discovery documents.
import { get } from "./client.ts";

export interface Version {
  name: string;
  verbs: string[];
  subresources: string[];
}

export interface Kind {
  group: string;
  /** The version that is shown; the server's preferred one unless another was chosen. */
  version: string;
  versions: Version[];
  plural: string;
  singular: string;
  kind: string;
  shortNames: string[];
  categories: string[];
  namespaced: boolean;
  verbs: string[];
}

interface DiscoveredResource {
  resource: string;
  responseKind?: { kind: string };
  scope: string;
  singularResource: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: { subresource: string }[];
}

interface DiscoveredGroup {
  metadata?: { name?: string };
  versions: { version: string; resources?: DiscoveredResource[] }[];
}

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

export async function discover(): Promise<Kind[]> {
  const groups = await Promise.all(
    ["/api", "/apis"].map((path) => get<{ items?: DiscoveredGroup[] }>(path, { accept: AGGREGATED })),
  );
  return kindsOf(groups.flatMap((it) => it.items ?? []));
}

/** The kinds of discovery documents, each once with all its versions. */
export function kindsOf(groups: DiscoveredGroup[]): Kind[] {
  const kinds = new Map<string, Kind>();
  for (const group of groups) {
    const name = group.metadata?.name ?? "";
    for (const version of group.versions) {
      for (const resource of version.resources ?? []) {
        const key = `${resource.resource}.${name}`;
        const known = kinds.get(key) ?? newKind(name, version.version, resource);
        known.versions.push({
          name: version.version,
          verbs: resource.verbs,
          subresources: (resource.subresources ?? []).map((it) => it.subresource),
        });
        kinds.set(key, known);
      }
    }
  }
  return [...kinds.values()].sort(
    (a, b) => order(a.group) - order(b.group) || compare(a.group, b.group) || compare(a.kind, b.kind),
  );
}

function newKind(group: string, version: string, resource: DiscoveredResource): Kind {
  return {
    group,
    version,
    versions: [],
    plural: resource.resource,
    singular: resource.singularResource,
    kind: resource.responseKind?.kind ?? resource.resource,
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    namespaced: resource.scope === "Namespaced",
    verbs: resource.verbs,
  };
}

/** Groups of users first, then the core, then those of Kubernetes. */
function order(group: string): number {
  if (group === "") return 1;
  return isBuiltIn(group) ? 2 : 0;
}

export function isBuiltIn(group: string): boolean {
  return group === "" || !group.includes(".") || group.endsWith(".k8s.io");
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A kind in another of its versions. */
export function atVersion(kind: Kind, name: string): Kind {
  const version = kind.versions.find((it) => it.name === name);
  return version === undefined ? kind : { ...kind, version: name, verbs: version.verbs };
}

export function apiVersion(kind: Kind): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/** Where objects of the kind are. Without a namespace: all of them. */
export function pathOf(kind: Kind, namespace = "", name = ""): string {
  const root = kind.group === "" ? "/api" : `/apis/${encodeURIComponent(kind.group)}`;
  const scope = namespace === "" ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  const object = name === "" ? "" : `/${encodeURIComponent(name)}`;
  return `${root}/${kind.version}${scope}/${kind.plural}${object}`;
}

/** Whether a kind is what somebody looks for: a part of its name, plural, group or a short name. */
export function matches(kind: Kind, query: string): boolean {
  const wanted = query.trim().toLowerCase();
  const names = [kind.kind, kind.plural, kind.singular, kind.group, ...kind.categories];
  return kind.shortNames.includes(wanted) || names.some((it) => it.toLowerCase().includes(wanted));
}

/** Kinds by their group, in the order of the first of each. */
export function byGroup(kinds: Kind[]): [string, Kind[]][] {
  const groups = new Map<string, Kind[]>();
  for (const kind of kinds) groups.set(kind.group, [...(groups.get(kind.group) ?? []), kind]);
  return [...groups];
}
