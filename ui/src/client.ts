// Requests to the server that served the page. Credentials are the viewer's own: a client
// certificate that the browser adds, or a token that lives in this module and nowhere else.

/** A refusal as the API writes it. */
export interface Status {
  message?: string;
  reason?: string;
  code?: number;
  details?: { causes?: Cause[]; name?: string; kind?: string };
}

export interface Cause {
  field?: string;
  message?: string;
  reason?: string;
}

export class ApiError extends Error {
  constructor(
    readonly code: number,
    readonly status: Status,
  ) {
    super(status.message ?? `the server answered ${code}`);
  }
}

export interface Options {
  method?: string;
  accept?: string;
  body?: string;
  contentType?: string;
  signal?: AbortSignal;
}

/** What came back, with the server's warnings. */
export interface Answer<T> {
  value: T;
  warnings: string[];
}

// A token outlives neither the page nor a reload.
let token = "";
let unauthorized = () => {};

export function setToken(value: string): void {
  token = value.trim();
}

export function hasToken(): boolean {
  return token !== "";
}

/** What happens when the server does not know the viewer. */
export function onUnauthorized(then: () => void): void {
  unauthorized = then;
}

async function send(path: string, options: Options): Promise<Response> {
  const headers: Record<string, string> = { Accept: options.accept ?? "application/json" };
  if (token !== "") headers.Authorization = `Bearer ${token}`;
  if (options.body !== undefined) {
    headers["Content-Type"] = options.contentType ?? "application/json";
  }
  const response = await fetch(path, {
    method: options.method ?? "GET",
    headers,
    body: options.body,
    signal: options.signal,
    credentials: "same-origin",
    redirect: "error",
  });
  if (response.status === 401) unauthorized();
  if (!response.ok) throw new ApiError(response.status, await refusal(response));
  return response;
}

async function refusal(response: Response): Promise<Status> {
  const text = await response.text();
  try {
    const value = JSON.parse(text) as Status;
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Some refusals are plain text.
  }
  return { message: text.trim() || response.statusText };
}

/** The texts of `Warning: 299 - "…"` headers, which a browser joins by commas. */
export function warnings(header: string | null): string[] {
  const found: string[] = [];
  for (const match of (header ?? "").matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)) {
    found.push((match[1] ?? "").replace(/\\(.)/g, "$1"));
  }
  return found;
}

export async function ask<T>(path: string, options: Options = {}): Promise<Answer<T>> {
  const response = await send(path, options);
  const value = (await response.json()) as T;
  return { value, warnings: warnings(response.headers.get("Warning")) };
}

export async function get<T>(path: string, options: Options = {}): Promise<T> {
  return (await ask<T>(path, options)).value;
}

export async function getText(path: string, options: Options = {}): Promise<string> {
  return (await send(path, { accept: "text/plain, */*", ...options })).text();
}

export function post<T>(path: string, value: unknown, signal?: AbortSignal): Promise<T> {
  return get<T>(path, { method: "POST", body: JSON.stringify(value), signal });
}

/** Reads a stream of JSON lines until it ends. */
export async function stream(path: string, options: Options, each: (value: unknown) => void): Promise<void> {
  const response = await send(path, options);
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") each(JSON.parse(line));
  }
}
