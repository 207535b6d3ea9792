// What the whole page knows: who looks at which server, and which kinds it has.
import { get, onUnauthorized, setToken } from "./client.ts";
import { discover, type Kind } from "./kinds.ts";
import { Store, words } from "./store.ts";

export interface About {
  mode: "server" | "files" | "cluster";
  version: string;
  open: boolean;
  user?: { name: string; groups?: string[] };
  paths?: string[];
  gates?: { name: string; stage: string; on: boolean }[];
  server?: string;
}

export interface Session {
  state: "loading" | "login" | "ready" | "failed";
  error: string;
  about?: About;
  kinds: Kind[];
}

export const session = new Store<Session>({ state: "loading", error: "", kinds: [] });

onUnauthorized(() => {
  if (session.value.state !== "login") session.set({ ...session.value, state: "login" });
});

/** Loads who looks and what is served. */
export async function load(): Promise<void> {
  try {
    const about = await get<About>("/ui/api/about");
    const kinds = await discover();
    session.set({ state: "ready", error: "", about, kinds });
  } catch (error) {
    if (session.value.state !== "login") {
      session.set({ ...session.value, state: "failed", error: words(error) });
    } else {
      session.set({ ...session.value, error: words(error) });
    }
  }
}

export async function login(token: string): Promise<void> {
  setToken(token);
  session.set({ ...session.value, state: "loading", error: "" });
  await load();
}

export function logout(): void {
  setToken("");
  session.set({ state: "login", error: "", kinds: [] });
}

/** Looks again which kinds there are. */
export async function refreshKinds(): Promise<void> {
  const kinds = await discover();
  session.set({ ...session.value, kinds });
}
