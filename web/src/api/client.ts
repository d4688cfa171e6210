// Every request of the page goes through here: it carries the token, and a
// failure becomes an ApiError with what the server said.

import { keep, kept } from "../ui/keep";
import { Store } from "../ui/store";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string,
    /** The whole body, where it was JSON. */
    readonly body: Record<string, unknown>,
  ) {
    super(message);
  }
}

const tokenKey = "ibid.token";

/** The token that is sent, and whether the server wants another one. */
export const auth = new Store<{ token: string | undefined; refused: boolean }>({ token: kept(tokenKey), refused: false });

export function setToken(token: string, remember: boolean): void {
  keep(tokenKey, token, remember ? "device" : "tab");
  auth.set({ token, refused: false });
}

export function authHeaders(): Record<string, string> {
  const { token } = auth.get();
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

export interface Init {
  method?: string;
  headers?: Record<string, string>;
  body?: BodyInit;
  signal?: AbortSignal;
  keepalive?: boolean;
}

/** fetch with the token; a 401 for want of one makes the page ask for it. */
export async function send(path: string, init: Init = {}): Promise<Response> {
  const { token } = auth.get();
  const response = await fetch(path, { ...init, headers: { ...init.headers, ...authHeaders() } });
  noteRefusal(response.status, response.headers.get("WWW-Authenticate"), token);
  return response;
}

/** Also for requests that were not made with fetch. */
export function noteRefusal(status: number, challenge: string | null, sent: string | undefined): void {
  if (status === 401 && challenge !== null && auth.get().token === sent) auth.set({ token: sent, refused: true });
}

export async function request(path: string, init: Init = {}): Promise<Response> {
  let response: Response;
  try {
    response = await send(path, init);
  } catch (err) {
    if (init.signal?.aborted) throw err;
    throw new ApiError(0, "OFFLINE", "The server can’t be reached.", "Is ibid still running?", {});
  }
  if (!response.ok) throw errorOf(response.status, await response.text());
  return response;
}

export function errorOf(status: number, text: string): ApiError {
  let body: Record<string, unknown> = {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) body = value as Record<string, unknown>;
  } catch {
    // A proxy's error page, perhaps.
  }
  const detail = (body["error"] ?? {}) as { code?: string; message?: string; hint?: string };
  return new ApiError(status, detail.code ?? "INTERNAL", detail.message ?? `The server answered ${status}.`, detail.hint ?? "", body);
}

export async function getJSON<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await request(path, { signal });
  return (await response.json()) as T;
}

export async function sendJSON<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await request(path, {
    method,
    headers: { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

/** keepalive lets the request outlive the page. */
export async function remove(path: string): Promise<void> {
  await request(path, { method: "DELETE", keepalive: true });
}
