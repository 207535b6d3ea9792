// Places of the page, kept in the fragment: they never reach a server or its log.
import { Store } from "./store.ts";

export interface Place {
  view: "home" | "operations" | "kind";
  group: string;
  version: string;
  plural: string;
  tab: string;
  /** What comes after the tab: a field path, or namespace and name of an object. */
  rest: string[];
}

export const TABS = ["schema", "objects", "try", "rules", "versions"] as const;

const CORE = "core";

export function parse(hash: string): Place {
  const [path = ""] = hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").map(decode);
  const place: Place = { view: "home", group: "", version: "", plural: "", tab: "", rest: [] };
  if (parts[0] === "operations") return { ...place, view: "operations" };
  const [first, group, version, plural, tab, ...rest] = parts;
  if (first !== "k" || !group || !version || !plural) return place;
  return {
    view: "kind",
    group: group === CORE ? "" : group,
    version,
    plural,
    tab: tab || "schema",
    rest,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

interface Named {
  group: string;
  version: string;
  plural: string;
}

/** The address of a kind's tab. */
export function link(kind: Named, tab = "schema", ...rest: string[]): string {
  const parts = ["k", kind.group || CORE, kind.version, kind.plural, tab, ...rest];
  return "#/" + parts.map(encodeURIComponent).join("/");
}

export const place = new Store<Place>(parse(location.hash));

addEventListener("hashchange", () => place.set(parse(location.hash)));

export function go(to: string): void {
  location.hash = to;
}
