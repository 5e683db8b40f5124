import type * as z from 'zod';
import type { RouteFamily, RouteTag } from './families.ts';
import type { ResourceNeed } from './resources.ts';
import type { Role } from './roles.ts';

/**
 * In which project a route acts, and so whose membership counts.
 * query   the `project` query parameter (the usual case)
 * query_or_all  the same, but owners of the installation may leave it out and then act on all projects
 * body    the body's `project` member
 * target  the project of the thing that the path names: an id of another project is an id that never was
 * none    no project: installation-wide, or the caller's own account
 */
export type ProjectRule = 'query' | 'query_or_all' | 'body' | 'target' | 'none';

/**
 * Who may call a route.
 * public         nobody needs to be signed in
 * refresh        a refresh token, and nothing else, is the credential
 * browser_refresh  the refresh cookie of a browser, and nothing else, is the credential
 * cookie         the session cookie of a browser, and nothing else, is the credential
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

/** How often one caller may call: see RATE_LIMITS in the controller. */
export type RateClass = 'login' | 'read' | 'write' | 'command' | 'trial' | 'probe';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Schema = z.ZodType;

/** Everything there is to know of a route. The server, the typed client, OpenAPI and the matrix test read it. */
export interface RouteContract<
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
  Response extends Schema = Schema,
> {
  /** Unique, camelCase: the OpenAPI operation id. */
  readonly id: string;
  readonly method: HttpMethod;
  /** `/api/v3/xds/:collection` */
  readonly path: string;
  readonly summary: string;
  readonly tag: RouteTag;
  /** Where it is not the family of the tag; `any`: what every token may ask about itself. */
  readonly family?: RouteFamily | 'any';
  readonly access: Access;
  /** True: API tokens may not call it, whatever their role. What they did here would outlive who made them. */
  readonly people?: true;
  /** True: also those may call it who have to change their password first. */
  readonly beforeNewPassword?: true;
  /** True: it is done each time, whatever Idempotency-Key comes along: it is about the session that calls, not the caller. */
  readonly everyTime?: true;
  readonly project: ProjectRule;
  /** Of a route about one thing: what a permission on it must allow, in projects that list who may reach what. */
  readonly needs?: ResourceNeed;
  /** Bytes, checked before parsing. */
  readonly bodyLimit: number;
  readonly rate: RateClass;
  /** Name in the audit log of what this route does; null for reads. */
  readonly audit: string | null;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /**
   * Of a write whose body is one member of the record that is read at its address: which. It may also be sent in the record,
   * as it was read.
   */
  readonly writes?: string;
  /** The body is the bytes of a file (`application/octet-stream`), which the handler reads as they come. */
  readonly upload?: true;
  /** Status of success and the schema of its body. A 204 has none, and a 302 an address instead: it is for browsers. */
  readonly status: 200 | 201 | 202 | 204 | 302;
  /** Of a write that replaces what there is: where there was nothing, it makes it, and its status is 201. */
  readonly makes?: true;
  readonly response?: Response;
  /** Media type of the answer; JSON unless said otherwise. Of a stream, `response` describes one piece of it. */
  readonly media?: 'text/event-stream' | 'application/x-ndjson' | 'text/csv' | 'application/octet-stream';
}

/** The most that a request without documents may carry. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** For documents (Envoy bootstraps, policies with their files) and for lists of up to 1,000 clients with their addresses. */
export const DOCUMENT_BODY_BYTES = 8 * 1024 * 1024;

type Defaults = 'bodyLimit' | 'rate';

/** Declares a route; `bodyLimit` and `rate` follow from the method unless said otherwise. */
export function defineRoute<P extends Schema, Q extends Schema, B extends Schema, R extends Schema>(
  route: Omit<RouteContract<P, Q, B, R>, Defaults> & Partial<Pick<RouteContract<P, Q, B, R>, Defaults>>,
): RouteContract<P, Q, B, R> {
  return { bodyLimit: SMALL_BODY_BYTES, rate: route.method === 'GET' ? 'read' : 'write', ...route };
}
