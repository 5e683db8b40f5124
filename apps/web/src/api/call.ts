import type { RouteRef } from 'virtual:routes';
import type { CallAnswer, CallInput, CallOutput, ErrorBody, RouteContract } from '@flotilla/contract';
import { noteAnswer } from './reach.ts';
import { sendFile } from './send-file.ts';

export type { RouteRef, SettingKindRef } from 'virtual:routes';
export { auditWords, routes, settingKinds } from 'virtual:routes';

/** The controller refused the request. `code` is stable, `message` says what to do, `details` point at fields. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: NonNullable<ErrorBody['details']>;
  readonly requestId: string;
  /** The whole error body: some codes have more fields, for example the records that prevent a deletion. */
  readonly body: ErrorBody;
  /** Seconds to wait, if the controller sent them. */
  readonly retryAfterS: number | undefined;

  constructor(status: number, body: ErrorBody, retryAfterS?: number) {
    super(body.message);
    this.name = 'ApiError';
    this.status = status;
    this.code = body.code;
    this.details = body.details ?? [];
    this.requestId = body.request_id;
    this.body = body;
    this.retryAfterS = retryAfterS;
  }
}

/** The request got no answer. A write may or may not have happened. */
export class OfflineError extends Error {
  constructor(cause: unknown) {
    super('The controller does not answer.', { cause });
    this.name = 'OfflineError';
  }
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** The revision that the change applies to: the ETag of the answer. */
  readonly ifMatch?: string;
  /** Share of the file that is sent, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

interface Hooks {
  csrfToken: () => string | undefined;
  onSignedOut: () => void;
  /** Runs before a call: gets a new access token in time. */
  keepFresh: () => Promise<void>;
  /** Runs after a call with an expired access token. Resolves with whether to try again. */
  refresh: () => Promise<boolean>;
}

let hooks: Hooks = {
  csrfToken: () => undefined,
  onSignedOut: () => undefined,
  keepFresh: async () => undefined,
  refresh: async () => false,
};

/** Connects the session, which provides the token and is notified when the controller no longer accepts it. */
export function connectSession(next: Hooks): void {
  hooks = next;
}

const TIMEOUT_MS = 200_000;
/** Long enough for the largest file over a slow line. */
const FILE_TIMEOUT_MS = 3_600_000;

/** Calls a route by its contract. Throws ApiError on a refusal and OfflineError without an answer. */
export function call<R extends RouteContract>(
  route: RouteRef<R>,
  input: CallInput<R>,
  options: CallOptions = {},
): Promise<CallAnswer<CallOutput<R>>> {
  return noting(() => callFresh(route, input, options));
}

/** Calls with a valid access token. */
async function callFresh<R extends RouteContract>(
  route: RouteRef<R>,
  input: CallInput<R>,
  options: CallOptions,
): Promise<CallAnswer<CallOutput<R>>> {
  const isForSession = route.access.kind !== 'public' && route.access.kind !== 'browser_refresh';
  if (isForSession) await hooks.keepFresh();
  const first = await callOnce(route, input as Parts, options);
  const isExpired = isForSession && first.response.status === 401 && codeOf(first.answer) === 'auth.expired';
  const again = isExpired && (await hooks.refresh());
  const { response, answer } = again ? await callOnce(route, input as Parts, options) : first;
  if (!response.ok) {
    if (response.status === 401 && route.access.kind !== 'public') hooks.onSignedOut();
    throw toApiError(response, answer);
  }
  return { status: response.status, body: answer as CallOutput<R>, etag: response.headers.get('etag') ?? undefined };
}

async function callOnce(
  route: RouteRef<RouteContract>,
  { params, query, body, file }: Parts,
  { signal, ifMatch, onProgress }: CallOptions,
): Promise<{ response: Response; answer: unknown }> {
  const csrf = route.method === 'GET' ? undefined : hooks.csrfToken();
  const deadline = AbortSignal.timeout(file ? FILE_TIMEOUT_MS : TIMEOUT_MS);
  const url = `${fillPath(route.path, params ?? {})}${formatQuery(query ?? {})}`;
  const headers = {
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(file && { 'content-type': 'application/octet-stream' }),
    ...(csrf === undefined ? {} : { 'x-csrf-token': csrf }),
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
  };
  const until = signal ? AbortSignal.any([signal, deadline]) : deadline;
  const parts = { method: route.method, headers, signal: until };
  const text = body === undefined ? null : JSON.stringify(body);
  const response = await orOffline(
    () =>
      file
        ? sendFile(url, { ...parts, file, onProgress })
        : fetch(url, { ...parts, credentials: 'same-origin', body: text }),
    until,
  );
  return { response, answer: await readBody(response) };
}

/** Records whether the controller answers. An answer of a proxy that cannot connect to it does not count. */
async function noting<T>(ask: () => Promise<T>): Promise<T> {
  try {
    const answer = await ask();
    noteAnswer(true);
    return answer;
  } catch (error) {
    if (error instanceof ApiError) noteAnswer(true);
    else if (error instanceof OfflineError) noteAnswer(false);
    throw error;
  }
}

function codeOf(answer: unknown): string | undefined {
  return isErrorBody(answer) ? answer.code : undefined;
}

interface Parts {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  file?: Blob;
}

async function orOffline(ask: () => Promise<Response>, signal: AbortSignal): Promise<Response> {
  try {
    return await ask();
  } catch (error) {
    if (signal.aborted && signal.reason?.name !== 'TimeoutError') throw error;
    throw new OfflineError(error);
  }
}

async function readBody(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  try {
    return await response.json();
  } catch (error) {
    if (response.ok) throw new OfflineError(error);
    return undefined;
  }
}

function toApiError(response: Response, answer: unknown): ApiError | OfflineError {
  // The answer comes from a proxy that cannot connect to the controller.
  if (!isErrorBody(answer)) return new OfflineError(`HTTP ${response.status}`);
  const retryAfter = Number(response.headers.get('retry-after'));
  return new ApiError(response.status, answer, retryAfter > 0 ? retryAfter : undefined);
}

function isErrorBody(answer: unknown): answer is ErrorBody {
  return typeof answer === 'object' && answer !== null && 'code' in answer && 'message' in answer;
}

function fillPath(path: string, params: Record<string, unknown>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')));
}

export function formatQuery(query: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const text = search.toString();
  return text ? `?${text}` : '';
}

/** Opens a stream of server-sent events. The browser sends the cookie of the session. */
export function openEvents(path: string, query: Record<string, unknown>): EventSource {
  return new EventSource(`${path}${formatQuery(query)}`);
}
