import type * as z from 'zod';
import type { RouteContract, Schema } from './route.ts';
import { type ErrorBody, errorBodySchema } from './schemas.ts';

/** The parts of a call that its contract declares. `file` is for uploads. */
export type CallInput<R> =
  R extends RouteContract<infer P, infer Q, infer B, Schema>
    ? {
        params?: z.input<P>;
        query?: z.input<Q>;
        body?: z.input<B>;
        headers?: Readonly<Record<string, string>>;
        file?: Blob;
      }
    : never;

export type CallOutput<R> = R extends RouteContract<Schema, Schema, Schema, infer A> ? z.output<A> : never;

export interface CallAnswer<T> {
  readonly status: number;
  readonly body: T;
  /** Send it back as `If-Match`. */
  readonly etag: string | undefined;
}

/** A refusal by the controller. `body.code` is stable; `body.message` says what to do. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
  }
}

export interface ApiClientOptions {
  readonly baseUrl: string;
  /** Returns the access token. Called for each request, so that the token may be renewed in between. */
  readonly token?: () => string | undefined | Promise<string | undefined>;
  readonly fetch?: typeof fetch;
}

/** Calls routes by their contracts. Throws ApiError on a refusal, and the error of fetch if no answer comes. */
export class ApiClient {
  readonly #options: ApiClientOptions;

  constructor(options: ApiClientOptions) {
    this.#options = options;
  }

  async call<R extends RouteContract>(route: R, input: CallInput<R>): Promise<CallAnswer<CallOutput<R>>> {
    const response = await this.open(route, input);
    const answer: unknown = response.status === 204 ? undefined : await response.json();
    return { status: response.status, body: answer as CallOutput<R>, etag: response.headers.get('etag') ?? undefined };
  }

  /** For answers that are not JSON. Resolves to a successful response with its body unread. */
  async open<R extends RouteContract>(route: R, input: CallInput<R>): Promise<Response> {
    const { params, query, body, file, headers } = input as {
      params?: Record<string, string>;
      query?: Record<string, unknown>;
      body?: unknown;
      file?: Blob;
      headers?: Record<string, string>;
    };
    const token = await this.#options.token?.();
    const url = `${this.#options.baseUrl}${fillPath(route.path, params ?? {})}${formatQuery(query ?? {})}`;
    const response = await (this.#options.fetch ?? fetch)(url, {
      method: route.method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(file === undefined ? {} : { 'content-type': 'application/octet-stream' }),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...headers,
      },
      body: file ?? (body === undefined ? undefined : JSON.stringify(body)),
    });
    if (!response.ok) {
      const parsed = errorBodySchema.safeParse(response.status === 204 ? undefined : await response.json());
      const unreadable = { code: 'internal.failure', message: `HTTP ${response.status}`, request_id: '' };
      throw new ApiError(response.status, parsed.success ? parsed.data : unreadable);
    }
    return response;
  }
}

function fillPath(path: string, params: Record<string, string>): string {
  return path.replaceAll(/:(\w+)|\*/g, (_, name: string | undefined) => encodeURIComponent(params[name ?? '*'] ?? ''));
}

function formatQuery(query: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const text = search.toString();
  return text ? `?${text}` : '';
}
