/**
 * One request or connection, as the agent reads it from Envoy's access log. Nothing secret is in it: no credential, no body, no value of a query.
 * The path, the source address and the user agent are as they were seen: they travel over mutual TLS, and the controller reduces them before it stores anything.
 */
export interface LogEntry {
  /** When the request began, in milliseconds since 1970, by the host's clock. */
  readonly timeMs: number;
  /** Until the last byte was sent to the client. */
  readonly latencyUs: number;
  /** `http/1.0`, `http/1.1`, `http/2`, `http/3` or `tcp`. */
  readonly protocol: string;
  readonly method: string;
  /** The Host header or `:authority`. */
  readonly authority: string;
  /** Without the query, at most `ENTRY_LIMITS.path` characters. */
  readonly path: string;
  /** 0: the client left before an answer. */
  readonly status: number;
  /** 255: none. */
  readonly grpcStatus: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly requestId: string;
  /** Envoy's peer without the port; empty for a Unix socket. */
  readonly sourceAddress: string;
  readonly userAgent: string;
  /** Envoy's short codes, such as `UF,URX`, sorted. `NR`: no route. */
  readonly responseFlags: string;
  readonly route: string;
  readonly cluster: string;
  /** `TLSv1_3` and so on; empty: the connection to Envoy had none. */
  readonly tlsVersion: string;
  /** Media type of the request, and below of the answer, without parameters, in lowercase. */
  readonly requestContentType: string;
  readonly contentType: string;
  /** The name of a GraphQL operation, from the headers of its client. */
  readonly graphqlOperation: string;
  /** `Origin`, at most 255 characters. */
  readonly origin: string;
  readonly auth: AuthScheme;
  /** The first 128 bits of SHA-256 over the proven or presented identity, in hexadecimal; empty for anonymous requests. The controller applies the project's key to it. */
  readonly identityHash: string;
  /** Seconds from `iat` to `exp` of a JWT; 0: none or not known. */
  readonly tokenLifetimeS: number;
  /** Names of query parameters, in lowercase, without those that look like values. */
  readonly queryNames: readonly string[];
  /** Personal data in values of the query. */
  readonly queryPii: readonly string[];
  /** Facts that the headers show. */
  readonly signs: readonly Sign[];
  /** The decision of the filter: `allow`, `block`, `detect`; empty: it did not inspect the request. */
  readonly action: string;
  /** The engine of the filter that decided. */
  readonly engine: string;
}

export const AUTH_SCHEMES = [
  'none',
  'jwt',
  'bearer',
  'basic',
  'apikey',
  'mtls',
  'cookie',
  'signature',
  'other',
] as const;
export type AuthScheme = (typeof AUTH_SCHEMES)[number];

/**
 * csp, frame_options, nosniff, hsts: the answer has this header. banner: `Server` or `X-Powered-By` names a product. cors_*: what the answer allows. query_credential: a
 * parameter of the query is named like a credential. forwarded_https: a proxy in front claims HTTPS. cookie_*: a cookie lacks this.
 */
export const SIGNS = [
  'csp',
  'frame_options',
  'nosniff',
  'hsts',
  'banner',
  'cors_any',
  'cors_null',
  'cors_reflected',
  'cors_credentials',
  'query_credential',
  'forwarded_https',
  'cookie_no_secure',
  'cookie_no_httponly',
  'cookie_samesite_none',
] as const;
export type Sign = (typeof SIGNS)[number];

/** Entries of one service on one host, in the order of arrival. */
export interface LogBatch {
  /** Changes when the agent has lost count. */
  readonly epoch: string;
  /** Grows by one with each batch of the epoch. A number that is missing was dropped. */
  readonly sequence: number;
  readonly listener: string;
  readonly entries: readonly LogEntry[];
}

export const ENTRY_LIMITS = {
  path: 4096,
  authority: 255,
  userAgent: 512,
  queryNames: 32,
  /** Limits of one batch. */
  entries: 10_000,
  batchBytes: 4 * 1024 * 1024,
} as const;
