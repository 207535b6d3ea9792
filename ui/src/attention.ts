// Watches rest while nobody looks: a browser keeps few connections to a server over HTTP/1, and
// each watch of a page in the background would hold one of them.

const HIDDEN_MS = 30_000;

/** Resolves when somebody looks at the page, or the signal says that it is over. */
export function attention(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look, { once: true });
    look();
  });
}

/**
 * Runs something that goes on while somebody looks. It is ended when the page is hidden for a
 * while, which counts as a good end.
 */
export async function whileSeen(
  outer: AbortSignal,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const rest = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => rest.abort(), HIDDEN_MS);
  };
  document.addEventListener("visibilitychange", look);
  look();
  try {
    await run(AbortSignal.any([outer, rest.signal]));
  } catch (error) {
    if (!rest.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
  }
}
