import type { EngineName, EngineReason } from '@flotilla/policy';

/** What an engine may look at in its header phase. Read-only; valid during the decision only. */
export interface RequestView {
  readonly method: string;
  /** Canonical: port stripped, brackets removed, lowercased, one trailing dot removed. */
  readonly host: string;
  /** As sent, without the query. */
  readonly rawPath: string;
  /** As sent, without the `?`; empty when there is none. */
  readonly query: string;
  /** Every reading of the path, the router's first (`readPath` of the policy package). */
  readonly paths: readonly string[];
  /** Canonical address of the client, trusted hops considered; empty when it is not known. */
  readonly sourceIp: string;
  /** All lines of a header in the order of arrival, values without surrounding white space. `name` is lowercase. */
  header(name: string): readonly string[];
}

export type Severity = 'info' | 'low' | 'medium' | 'high' | 'critical';

/** A would-be block. In mode `block` it becomes the answer, in mode `detect` it is counted. */
export interface BlockVerdict {
  readonly kind: 'block';
  readonly reason: EngineReason;
  readonly severity: Severity;
  readonly status: 403 | 429;
  /** Whole seconds, at least 1: when the same request may succeed. Only with status 429. */
  readonly retryAfterSeconds?: number;
}

/** One way in which an engine blocks. */
export type BlockReason = Pick<BlockVerdict, 'reason' | 'severity'>;

/** The request may go on. `subject` is the identity that an engine found, where it finds one. */
export interface AllowVerdict {
  readonly kind: 'allow';
  readonly subject?: string;
}

export type Verdict = AllowVerdict | BlockVerdict;

export const ALLOW: AllowVerdict = { kind: 'allow' };

/**
 * One engine block, ready to decide. Synchronous: between the first and the last engine of a request nothing else runs.
 * An exception is an internal error and meets the policy's fail mode; a bad or missing credential is a verdict.
 */
export interface CompiledEngine {
  readonly name: EngineName;
  decide(request: RequestView): Verdict;
}
