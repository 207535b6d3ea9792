// Who owns which field, from an object's managedFields.
import { isTree, type Tree } from "./diff.ts";
import { key } from "./yaml.ts";

export interface Manager {
  name: string;
  operation: string;
  subresource: string;
  time: string;
}

/** The managers of each field, by path as `yaml.key` joins it. */
export function owners(object: unknown): Map<string, Manager[]> {
  const found = new Map<string, Manager[]>();
  if (!isTree(object) || !isTree(object.metadata)) return found;
  const entries = object.metadata.managedFields;
  for (const entry of Array.isArray(entries) ? entries : []) {
    if (!isTree(entry) || !isTree(entry.fieldsV1)) continue;
    const manager: Manager = {
      name: String(entry.manager ?? ""),
      operation: String(entry.operation ?? ""),
      subresource: String(entry.subresource ?? ""),
      time: String(entry.time ?? ""),
    };
    enter(entry.fieldsV1, object, [], (path) => {
      const known = found.get(key(path)) ?? [];
      found.set(key(path), [...known, manager]);
    });
  }
  return found;
}

function enter(fields: Tree, value: unknown, path: string[], put: (path: string[]) => void): void {
  const entries = Object.entries(fields);
  if (path.length > 0 && (entries.length === 0 || Object.hasOwn(fields, "."))) put(path);
  for (const [name, inner] of entries) {
    const step = stepOf(name, value);
    if (step === undefined || !isTree(inner)) continue;
    const next = Array.isArray(value) ? value[Number(step)] : isTree(value) ? value[step] : undefined;
    enter(inner, next, [...path, step], put);
  }
}

/** The step that `f:name`, `k:{…}`, `v:…` or `i:0` stands for in this value. */
function stepOf(name: string, value: unknown): string | undefined {
  const rest = name.slice(2);
  if (name.startsWith("f:")) return rest;
  if (name.startsWith("i:")) return rest;
  if (!Array.isArray(value)) return undefined;
  let wanted: unknown;
  try {
    wanted = JSON.parse(rest);
  } catch {
    return undefined;
  }
  const fits = (item: unknown) =>
    name.startsWith("v:")
      ? item === wanted
      : isTree(wanted) && isTree(item) && Object.entries(wanted).every(([field, it]) => item[field] === it);
  const index = value.findIndex(fits);
  return index < 0 ? undefined : String(index);
}
