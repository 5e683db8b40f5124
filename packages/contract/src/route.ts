import type * as z from 'zod';
import type { FamilyChoice } from './families.ts';
import type { ResourceNeed } from './resources.ts';
import type { Role } from './roles.ts';

/**
 * The project in which a route acts, and whose membership counts.
 * query   the `project` query parameter (the usual case)
 * query_or_all  the same, but owners of the installation may leave it out and then act on all projects
 * body    the body's `project` member
 * target  the project of the thing that the path names: an id of another project is treated as unknown
 * none    no project: installation-wide, or the caller's own account
 */
export type ProjectRule = 'query' | 'query_or_all' | 'body' | 'target' | 'none';

/**
 * The callers that a route admits.
 * public         everybody, without signing in
 * refresh        the holder of a refresh token, the only credential that counts
 * browser_refresh  a browser with a refresh cookie, the only credential that counts
 * cookie         a browser with a session cookie, the only credential that counts
 * authenticated  any signed-in caller, for what is the caller's own
 * roles          one of these roles in the route's project; owners of the installation always may
 * system_owner   owners of the installation only
 */
export type Access =
  | { readonly kind: 'public' }
  | { readonly kind: 'refresh' }
  | { readonly kind: 'browser_refresh' }
  | { readonly kind: 'cookie' }
  | { readonly kind: 'authenticated' }
  | { readonly kind: 'roles'; readonly roles: readonly Role[] }
  | { readonly kind: 'system_owner' };

/** Rate limit class of one caller: see RATE_LIMITS in the controller. */
export type RateClass = 'login' | 'read' | 'write' | 'command' | 'trial' | 'probe';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Schema = z.ZodType;

/** The full description of a route. The server, the typed client, OpenAPI and the matrix test read it. */
export interface RouteContract<
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
  Response extends Schema = Schema,
> extends FamilyChoice {
  /** Unique, camelCase: the OpenAPI operation id. */
  readonly id: string;
  readonly method: HttpMethod;
  readonly path: string;
  readonly summary: string;
  /** The heading of the route in the OpenAPI document. */
  readonly tag: string;
  readonly access: Access;
  /** True: API tokens may not call the route, whatever their role, because its effect would outlive them. */
  readonly people?: true;
  /** True: callers who have to change their password first may call it, too. */
  readonly beforeNewPassword?: true;
  /** True: the Idempotency-Key is ignored, because the route is about the calling session rather than the caller. */
  readonly everyTime?: true;
  readonly project: ProjectRule;
  /** The permission that a route about one thing needs in restricted projects. */
  readonly needs?: ResourceNeed;
  /** Bytes, checked before parsing. */
  readonly bodyLimit: number;
  readonly rate: RateClass;
  /** Name of the action in the audit log; null for reads. */
  readonly audit: string | null;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /**
   * For a write whose body is one member of the record at its address: the name of that member. The caller may also send the
   * whole record as it was read.
   */
  readonly writes?: string;
  /** The body is a file (`application/octet-stream`), which the handler streams. */
  readonly upload?: true;
  /** Status of success. A 204 has no body; a 302 has only an address and is for browsers. */
  readonly status: 200 | 201 | 202 | 204 | 302;
  /** For a write that replaces a record: it creates a missing one and answers 201. */
  readonly makes?: true;
  readonly response?: Response;
  /** Media type of the answer, JSON by default. For a stream, `response` describes one piece of it. */
  readonly media?: 'text/event-stream' | 'application/x-ndjson' | 'text/csv' | 'application/octet-stream';
}

/** Limit for requests without documents. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** For lists of up to 1,000 clients with their addresses, and for settings. The main thread parses such a body. */
export const LIST_BODY_BYTES = 256 * 1024;
/** For documents (Envoy bootstraps, policies with their files) and services with up to 1,000 clients. */
export const DOCUMENT_BODY_BYTES = 8 * 1024 * 1024;

type Defaults = 'bodyLimit' | 'rate';

/** Declares a route. `bodyLimit` and `rate` follow from the method by default. */
export function defineRoute<P extends Schema, Q extends Schema, B extends Schema, R extends Schema>(
  route: Omit<RouteContract<P, Q, B, R>, Defaults> & Partial<Pick<RouteContract<P, Q, B, R>, Defaults>>,
): RouteContract<P, Q, B, R> {
  return { bodyLimit: SMALL_BODY_BYTES, rate: route.method === 'GET' ? 'read' : 'write', ...route };
}
