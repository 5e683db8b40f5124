import type { BODY_REASONS, EngineName, EngineReason, PathReadings } from '@flotilla/policy';
import type { AlikeNames } from './alike-names.ts';
import type { Budget } from './budget.ts';
import type { Limiter } from './rate-limit/limiter.ts';

/** What an engine may look at of a request's headers. Read-only; valid during the call only, so nothing may keep it. */
export interface RequestView {
  readonly method: string;
  /** Canonical: port stripped, brackets removed, lowercased, one trailing dot removed. */
  readonly host: string;
  /** Every reading of an authority that programs read differently (`readHosts`), the canonical one first. */
  readonly hosts?: readonly string[] | undefined;
  /** As sent, without the query. */
  readonly rawPath: string;
  /** As sent, without the `?`; empty when there is none. */
  readonly query: string;
  readonly paths: PathReadings;
  /** Canonical address of the client, trusted hops considered; empty when it is not known. */
  readonly sourceIp: string;
  /**
   * All lines of a header in the order of arrival, values without surrounding white space. `name` is lowercase. Each value
   * may be kept: it is a text of its own, and no slice of a longer one.
   */
  header(name: string): readonly string[];
  /** The lowercase name of each line that is under one of these, in the order of arrival. */
  findNames(alike: AlikeNames): readonly string[];
}

export type Severity = 'info' | 'low' | 'medium' | 'high' | 'critical';

/**
 * What an engine adds to a request that goes on. Made when a bundle is loaded or a credential is first seen, not per
 * request: what Envoy is told is encoded once per grant and found again by its identity.
 */
export interface Grant {
  /** The identity that the engine found. */
  readonly subject?: string;
  /** Lowercase names; every line of them goes. Removed before `setHeaders` are set. */
  readonly removeHeaders?: readonly string[];
  /** What the client sent under these names, or any that some upstream takes for one, goes as well. */
  readonly ownHeaders?: AlikeNames;
  readonly setHeaders?: readonly (readonly [name: string, value: string])[];
  /** The query parameter that carried the credential goes from the path. */
  readonly removeQueryParameter?: string;
}

/** A would-be block. In mode `block` it becomes the answer, in mode `detect` it is recorded. */
export interface BlockVerdict {
  readonly kind: 'block';
  readonly reason: EngineReason;
  readonly severity: Severity;
  /** 401 where the policy wants it for credentials (`block_response`); engines say 403 or 429. */
  readonly status: 401 | 403 | 429;
  /** Whole seconds, at least 1: when the same request may succeed. Only with status 429. */
  readonly retryAfterSeconds?: number;
  /** The identity that the request had proven before it was found wanting (a scope that its key lacks). */
  readonly subject?: string;
  /** What holds where the request goes on all the same (mode `detect`): its credential was good. Else what the engine withholds. */
  readonly grant?: Grant | undefined;
  /** What was measured against what, for people: numbers and text of the policy, never text of the request. */
  readonly detail?: string;
}

/** One way in which an engine blocks. */
export type BlockReason = Pick<BlockVerdict, 'reason' | 'severity'>;

/** As far as this engine is concerned, the request may go on. */
export interface AllowVerdict {
  readonly kind: 'allow';
  readonly grant?: Grant | undefined;
}

export type Verdict = AllowVerdict | BlockVerdict;

export const ALLOW: AllowVerdict = { kind: 'allow', grant: undefined };

/**
 * One engine block, ready to decide. Synchronous: between the first and the last engine of a phase nothing else runs.
 * An exception is an internal error and meets the policy's fail mode; a bad or missing credential is a verdict.
 *
 * Those of `compileEngine` have every property, in this order: what asks them for each request meets one shape.
 */
export interface CompiledEngine {
  readonly name: EngineName;
  /** The header phase: every request is asked here first. */
  decide(request: RequestView, budget: Budget): Verdict;
  /** What an engine with a body phase adds. */
  readonly body?: BodyPhase | undefined;
  /**
   * Holds where a request goes on although this engine did not allow it (mode `detect`, `fail_open`): headers that only
   * the engine may set are taken from the client's request there too.
   */
  readonly withheld?: Grant | undefined;
  /** What it counts by, where it counts. */
  readonly limiter?: Limiter | undefined;
}

export interface BodyPhase {
  /** Asked after `decide` allowed a request that has a body: true when the verdict depends on the body. */
  wants(request: RequestView): boolean;
  /** `body` is whole, decoded, within the policy's cap; a view, valid during the call only. */
  decide(request: RequestView, body: Buffer, budget: Budget): Verdict;
}

/** Blocks of a body phase that no engine spoke. Severity and status as the specification has them for bodies. */
export const BODY_VERDICTS: { readonly [R in (typeof BODY_REASONS)[number]]: BlockVerdict } = {
  'body.too_large': { kind: 'block', reason: 'body.too_large', severity: 'medium', status: 403 },
  'body.undecodable': { kind: 'block', reason: 'body.undecodable', severity: 'medium', status: 403 },
};
