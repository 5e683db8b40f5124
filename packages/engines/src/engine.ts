import type { BODY_REASONS, EngineName, EngineReason, PathReadings } from '@flotilla/policy';
import type { AlikeNames } from './alike-names.ts';
import type { Budget } from './budget.ts';
import type { Limiter } from './rate-limit/limiter.ts';

/**
 * The request as an engine sees it in the header phase. Read-only and valid only during the call, so it must not be
 * kept.
 */
export interface RequestView {
  readonly method: string;
  /** Canonical: without port and brackets, in lowercase, one trailing dot removed. */
  readonly host: string;
  /** Every reading of an authority that programs read differently (`readHosts`), the canonical one first. */
  readonly hosts?: readonly string[] | undefined;
  /** As sent, without the query. */
  readonly rawPath: string;
  /** As sent, without the `?`; may be empty. */
  readonly query: string;
  readonly paths: PathReadings;
  /** Canonical address of the client, considering trusted hops; empty if unknown. */
  readonly sourceIp: string;
  /**
   * All values of a header in order of arrival, without surrounding white space. `name` is lowercase. Values may be
   * kept: each is its own string and not a slice of a longer one.
   */
  header(name: string): readonly string[];
  /** The lowercase names of all headers that match, in order of arrival. */
  findNames(alike: AlikeNames): readonly string[];
}

export type Severity = 'info' | 'low' | 'medium' | 'high' | 'critical';

/**
 * Changes that an engine makes to a request that continues. Created when a bundle is loaded or a credential is first
 * seen, not per request: it is encoded for Envoy once and found again by identity.
 */
export interface Grant {
  /** The identity that the engine found. */
  readonly subject?: string;
  /** Lowercase names; all their lines are removed, before `setHeaders` are set. */
  readonly removeHeaders?: readonly string[];
  /** Client headers under these names, or names that some upstream treats as one of them, are removed as well. */
  readonly ownHeaders?: AlikeNames;
  readonly setHeaders?: readonly (readonly [name: string, value: string])[];
  /** The query parameter with the credential is removed from the path. */
  readonly removeQueryParameter?: string;
}

/** A would-be block. In mode `block` it is the answer; in mode `detect` it is recorded. */
export interface BlockVerdict {
  readonly kind: 'block';
  readonly reason: EngineReason;
  readonly severity: Severity;
  /** Engines return 403 or 429; 401 replaces it if the policy's `block_response` sets that for credentials. */
  readonly status: 401 | 403 | 429;
  /** Whole seconds, at least 1, after which the same request may succeed. Only with status 429. */
  readonly retryAfterSeconds?: number;
  /** The identity that was proven before the request was rejected (for a scope that its key lacks). */
  readonly subject?: string;
  /**
   * Applies if the request continues anyway (mode `detect`) although its credential was valid. Otherwise the engine's
   * `withheld` applies.
   */
  readonly grant?: Grant | undefined;
  /** The measured value and its limit, for people: numbers and text of the policy, never text of the request. */
  readonly detail?: string;
}

/** One reason for which an engine blocks. */
export type BlockReason = Pick<BlockVerdict, 'reason' | 'severity'>;

/** The engine has no objection to the request. */
export interface AllowVerdict {
  readonly kind: 'allow';
  readonly grant?: Grant | undefined;
}

export type Verdict = AllowVerdict | BlockVerdict;

export const ALLOW: AllowVerdict = { kind: 'allow', grant: undefined };

/**
 * One engine block, ready to decide. Synchronous: nothing else runs between the first and the last engine of a phase.
 * An exception is an internal error, handled by the policy's fail mode; a bad or missing credential is a verdict.
 *
 * Engines from `compileEngine` have every property in this order, so call sites on the request path see a single object
 * shape.
 */
export interface CompiledEngine {
  readonly name: EngineName;
  /** The header phase, which every request passes first. */
  decide(request: RequestView, budget: Budget): Verdict;
  /** Set for engines with a body phase. */
  readonly body?: BodyPhase | undefined;
  /**
   * Applies if a request continues although this engine did not allow it (mode `detect`, `fail_open`): headers that
   * only the engine may set are still removed from the client's request.
   */
  readonly withheld?: Grant | undefined;
  /** Set for engines that count requests. */
  readonly limiter?: Limiter | undefined;
}

export interface BodyPhase {
  /** Called after `decide` allowed a request that has a body. True if the verdict depends on the body. */
  wants(request: RequestView): boolean;
  /** `body` is complete, decoded and within the policy's limit; a view, valid only during the call. */
  decide(request: RequestView, body: Buffer, budget: Budget): Verdict;
}

/** Blocks of the body phase that do not come from an engine. The specification sets severity and status. */
export const BODY_VERDICTS: { readonly [R in (typeof BODY_REASONS)[number]]: BlockVerdict } = {
  'body.too_large': { kind: 'block', reason: 'body.too_large', severity: 'medium', status: 403 },
  'body.undecodable': { kind: 'block', reason: 'body.undecodable', severity: 'medium', status: 403 },
};
