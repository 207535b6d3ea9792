// What changes objects for good, each after a confirmation.
import { ask } from "./client.ts";
import { pathOf, type Kind } from "./kinds.ts";
import { confirm } from "./view/confirm.tsx";

/** Deletes an object if the viewer agrees; returns whether it was done. */
export async function remove(kind: Kind, namespace: string, name: string): Promise<boolean> {
  const shown = namespace === "" ? name : `${namespace}/${name}`;
  if (!(await confirm(`Delete ${kind.kind} ${name}?`, shown, "Delete", true))) return false;
  await ask(pathOf(kind, namespace, name), { method: "DELETE" });
  return true;
}
