import type { Severity } from '@flotilla/engines';
import type { EngineReason, FailMode, PolicyMode } from '@flotilla/policy';

/** What would become of a request, and why. Plain JSON, bounded in size; holds no header value of the request and no body. */
export interface Explanation {
  readonly verdict: 'allowed' | 'blocked';
  /** The block that answers the request; null when it is allowed. */
  readonly decisive: ExplainedFinding | null;
  /** What the client gets instead of its answer; null when the request is allowed. */
  readonly answer: ExplainedAnswer | null;
  /** What an allowed request carries to the upstream that the client did not send, and what it loses. */
  readonly grants: readonly ExplainedGrant[];
  /** One sentence for people: the verdict and where it comes from. */
  readonly summary: string;
  /** Of the bundle. */
  readonly digest: string;
  readonly request: ExplainedRequest;
  readonly match: ExplainedMatch;
  /** Every engine of every policy that holds for the request, in the order in which they decide. */
  readonly engines: readonly ExplainedEngine[];
  readonly body: ExplainedBody;
}

/** The request as the policy reads it. */
export interface ExplainedRequest {
  readonly method: string;
  /** In its canonical form. */
  readonly host: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly has_query: boolean;
  /** Every reading of the path, the router's first. */
  readonly readings: readonly string[];
  /** Empty when the address is not known. */
  readonly source_ip: string;
  readonly source_ip_from: 'given' | 'x-forwarded-for' | 'peer' | 'unknown';
}

export interface ExplainedMatch {
  /** The domain that covers the host; null when none does, and then nothing guards the request. */
  readonly domain: ExplainedDomain | null;
  /** Entries of other domains that come near, the nearest first, and why they lost. */
  readonly other_domains: readonly { readonly entry: string; readonly policy: string; readonly why: DomainMiss }[];
  /** One per reading of the path, in their order: which route it falls under. */
  readonly readings: readonly ExplainedReading[];
  /** Routes of the domain that no reading falls under, the nearest first, and why. */
  readonly other_routes: readonly { readonly path_prefix: string; readonly why: RouteMiss }[];
}

/** `less_specific`: the entry covers the host, but another one is exact or longer. */
export type DomainMiss = 'less_specific' | 'bare_suffix' | 'other_host';
/** `shorter`: the prefix begins the path, but a longer one does, too. Capitals make no difference. */
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
  /** The route's prefix; null where the domain's own policy holds. */
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
  /** What was measured against what; null where the reason says it all. */
  readonly detail: string | null;
  /** The identity that the request had proven; null where it had none. */
  readonly subject: string | null;
}

/**
 * - `allow`: as far as this engine is concerned the request goes on.
 * - `block`: the answer, or what would have been recorded in mode `detect` (see `effect`).
 * - `error`: the engine broke or ran out of time.
 * - `body`: the headers are fine, the verdict waits for a body which the trial does not have.
 */
export type ExplainedVerdict = 'allow' | 'block' | 'error' | 'body';

/**
 * What the verdict means under the policy's mode and fail mode: `none`, the answer (`blocked`), a record only
 * (`detected`), let go on by `fail_open` (`error`), or nothing because an earlier engine had answered already
 * (`not_asked`: in real life this engine does not see the request).
 */
export type ExplainedEffect = 'none' | 'blocked' | 'detected' | 'error' | 'not_asked';

export interface ExplainedEngine {
  readonly policy: string;
  readonly route: string | null;
  /** An engine's name, or `body` where the body itself was found wanting. */
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
  /** Of `rate_limit`, and of an `api_key` whose key has a limit of its own. The trial meets a fresh bucket and takes nothing from the filter's own. */
  readonly limiter: ExplainedLimiter | null;
  /** In milliseconds, as measured in this one trial with cold caches. */
  readonly took_ms: number;
}

export interface ExplainedLimiter {
  readonly key: 'ip' | 'host' | 'header' | 'api_key';
  /** Lowercase; null unless `key` is `header`. */
  readonly header: string | null;
  /** The bucket's key, or null: of a header or an API key only that it is there is told, as it may be a credential. */
  readonly value: string | null;
  /** False: counted in the bucket that all requests without a key share. */
  readonly has_key: boolean;
  readonly requests_per_second: number;
  readonly burst: number;
  /** Routes (and the domain itself) that share this limiter. */
  readonly shared_by: number;
}

export interface ExplainedBody {
  /** Null: the trial has none. Bytes as sent. */
  readonly sent_bytes: number | null;
  /** Bytes after decoding; null when it was not read. */
  readonly decoded_bytes: number | null;
  /** Engines whose verdict waits for the body. */
  readonly wanted_by: readonly string[];
  /** The cap of the policies that want it, in bytes; 0 when none does. */
  readonly max_bytes: number;
  readonly state: BodyState;
}

/**
 * `none`: the trial has no body. `not_wanted`: no engine asks for it. `blocked_before`: the headers settled the request.
 * `read`: engines have seen it. `too_large`, `undecodable`: it could not be read, which is a finding.
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
