// State outside of components, and components that follow it.
import { useEffect, useState } from "preact/hooks";

export class Store<T> {
  #value: T;
  #followers = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    this.#value = value;
    for (const follower of [...this.#followers]) follower();
  }

  /** Calls at once if the value is no longer the one that was seen: it may change before this. */
  follow(follower: () => void, seen: T = this.#value): () => void {
    this.#followers.add(follower);
    if (seen !== this.#value) follower();
    return () => this.#followers.delete(follower);
  }
}

/** The value of a store; the component is drawn anew when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, draw] = useState(0);
  const seen = store.value;
  useEffect(() => store.follow(() => draw((count) => count + 1), seen), [store]);
  return seen;
}

/** What a promise has come to. */
export type Loaded<T> = { value?: T; error?: string };

/** Whether it has come, or is known not to come. */
export function isSettled<T>(loaded: Loaded<T>): boolean {
  return loaded.value !== undefined || loaded.error !== undefined;
}

/** Loads something again whenever `inputs` change; what comes too late is dropped. */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): Loaded<T> {
  const [state, set] = useState<Loaded<T>>({});
  useEffect(() => {
    const abort = new AbortController();
    set({});
    load(abort.signal).then(
      (value) => abort.signal.aborted || set({ value }),
      (error: unknown) => abort.signal.aborted || set({ error: words(error) }),
    );
    return () => abort.abort();
  }, inputs);
  return state;
}

export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
