// Dark or light: the system's choice unless the viewer made one. Only that choice is remembered.
import { Store } from "./store.ts";

export type Theme = "system" | "light" | "dark";

const KEY = "ordain-theme";

function remembered(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system";
  }
}

export const theme = new Store<Theme>(remembered());

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.value;
}

export function nextTheme(): void {
  const order: Theme[] = ["system", "light", "dark"];
  const next = order[(order.indexOf(theme.value) + 1) % order.length] ?? "system";
  theme.set(next);
  applyTheme();
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // A browser that remembers nothing asks again.
  }
}
