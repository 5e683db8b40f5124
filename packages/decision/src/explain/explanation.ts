import type { Severity } from '@flotilla/engines';
import type { EngineReason, FailMode, PolicyMode } from '@flotilla/policy';

/** The decision on a request, and why. Plain JSON, bounded in size; contains no header value of the request and no body. */
export interface Explanation {
  readonly verdict: 'allowed' | 'blocked';
  /** The block that decided; null if the request is allowed. */
  readonly decisive: ExplainedFinding | null;
  /** The response that the client gets from the filter; null if the request is allowed. */
  readonly answer: ExplainedAnswer | null;
  /** Headers that an allowed request gains or loses on its way to the upstream. */
  readonly grants: readonly ExplainedGrant[];
  /** One sentence for people: the verdict and its origin. */
  readonly summary: string;
  /** Digest of the bundle. */
  readonly digest: string;
  readonly request: ExplainedRequest;
  readonly match: ExplainedMatch;
  /** Every engine of every policy that applies to the request, in decision order. */
  readonly engines: readonly ExplainedEngine[];
  readonly body: ExplainedBody;
}

/** The request as the policy interprets it. */
export interface ExplainedRequest {
  readonly method: string;
  /** Canonical form of the host. */
  readonly host: string;
  /** Path as sent, without the query. */
  readonly path: string;
  readonly has_query: boolean;
  /** Every reading of the path, the router's first. */
  readonly readings: readonly string[];
  /** Empty if the address is unknown. */
  readonly source_ip: string;
  readonly source_ip_from: 'given' | 'x-forwarded-for' | 'peer' | 'unknown';
}

export interface ExplainedMatch {
  /** The domain that covers the host; null if no domain does and the request is unprotected. */
  readonly domain: ExplainedDomain | null;
  /** Similar entries of other domains, the nearest first, and why they do not match. */
  readonly other_domains: readonly { readonly entry: string; readonly policy: string; readonly why: DomainMiss }[];
  /** The matching route of each reading of the path, in order. */
  readonly readings: readonly ExplainedReading[];
  /** Routes of the domain that match no reading, the nearest first, and why. */
  readonly other_routes: readonly { readonly path_prefix: string; readonly why: RouteMiss }[];
}

/** `less_specific`: the entry covers the host, but another is exact or longer. */
export type DomainMiss = 'less_specific' | 'bare_suffix' | 'other_host';
/** `shorter`: the prefix begins the path, but so does a longer one. Ignores case. */
export type RouteMiss = 'shorter' | 'trailing_slash' | 'not_a_prefix';

export interface ExplainedDomain {
  /** `metadata.name` of the document. */
  readonly policy: string;
  /** The entry of `hosts` that covers the host. */
  readonly entry: string;
  readonly kind: 'exact' | 'suffix' | 'any';
}

export interface ExplainedReading {
  readonly path: string;
  /** True for the router's reading. */
  readonly is_router: boolean;
  /** The route's prefix; null if the domain's own policy applies. */
  readonly route: string | null;
}

export interface ExplainedFinding {
  readonly policy: string;
  readonly route: string | null;
  /** An engine's name, or `body`. */
  readonly engine: string;
  readonly reason: EngineReason;
  readonly severity: Severity;
  readonly status: 401 | 403 | 429;
  /** The measured value and its limit; null if the reason is enough. */
  readonly detail: string | null;
  /** The identity that the request had proven, if any. */
  readonly subject: string | null;
}

/**
 * - `allow`: the engine allows the request.
 * - `block`: the engine blocks it, or would be recorded in mode `detect` (see `effect`).
 * - `error`: the engine failed or ran out of time.
 * - `body`: the headers are fine, and the verdict depends on a body that the trial does not have.
 */
export type ExplainedVerdict = 'allow' | 'block' | 'error' | 'body';

/**
 * Effect of the verdict under the policy's mode and fail mode: `none`, the answer (`blocked`), only recorded
 * (`detected`), allowed by `fail_open` (`error`), or `not_asked` because an earlier engine had already blocked (a live
 * request would not get to this engine).
 */
export type ExplainedEffect = 'none' | 'blocked' | 'detected' | 'error' | 'not_asked';

export interface ExplainedEngine {
  readonly policy: string;
  readonly route: string | null;
  /** An engine's name, or `body` if the body itself was rejected. */
  readonly engine: string;
  readonly phase: 'headers' | 'body';
  readonly mode: PolicyMode;
  readonly fail_mode: FailMode;
  readonly verdict: ExplainedVerdict;
  readonly effect: ExplainedEffect;
  /** Null unless the verdict is `block` or `error`. */
  readonly reason: EngineReason | null;
  readonly severity: Severity | null;
  readonly status: 401 | 403 | 429 | null;
  readonly detail: string | null;
  /** The identity that the engine found. */
  readonly subject: string | null;
  /**
   * Set for `rate_limit`, and for an `api_key` whose key has its own limit. The trial uses a fresh bucket and takes
   * nothing from the filter's.
   */
  readonly limiter: ExplainedLimiter | null;
  /** Milliseconds, measured in this one trial with cold caches. */
  readonly took_ms: number;
}

export interface ExplainedLimiter {
  readonly key: 'ip' | 'host' | 'header' | 'api_key';
  /** In lowercase; null unless `key` is `header`. */
  readonly header: string | null;
  /** The bucket's key; null for a header or an API key, which may be a credential. */
  readonly value: string | null;
  /** False: counted in the bucket shared by all requests without a key. */
  readonly has_key: boolean;
  readonly requests_per_second: number;
  readonly burst: number;
  /** Routes (and the domain itself) that share this limiter. */
  readonly shared_by: number;
}

export interface ExplainedBody {
  /** Bytes as sent; null if the trial has no body. */
  readonly sent_bytes: number | null;
  /** Bytes after decoding; null if it was not read. */
  readonly decoded_bytes: number | null;
  /** Engines whose verdict depends on the body. */
  readonly wanted_by: readonly string[];
  /** The limit of the policies that want it, in bytes; 0 if none does. */
  readonly max_bytes: number;
  readonly state: BodyState;
}

/**
 * `none`: the trial has no body. `not_wanted`: no engine asks for it. `blocked_before`: the headers decided the
 * request. `read`: engines have seen it. `too_large`, `undecodable`: it could not be read, which is a finding.
 */
export type BodyState = 'none' | 'not_wanted' | 'blocked_before' | 'read' | 'too_large' | 'undecodable';

export interface ExplainedAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface ExplainedGrant {
  readonly subject: string | null;
  readonly remove_headers: readonly string[];
  readonly set_headers: readonly (readonly [name: string, value: string])[];
  readonly remove_query_parameter: string | null;
}
