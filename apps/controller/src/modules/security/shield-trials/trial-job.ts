import type { Explanation, PolicyWarning, ReplayReport } from '@flotilla/contract';
import type { LogFormat } from '@flotilla/decision';
import type { LoadProblem } from '@flotilla/policy';

/** One policy for the process; a draft may be an object. */
export interface TrialPolicy {
  readonly name: string;
  readonly content: string | Readonly<Record<string, unknown>>;
  readonly files: readonly TrialFile[];
}

export interface TrialFile {
  readonly path: string;
  readonly content_base64: string;
  /** A stored secret, which may only be used where the policy names it as a secret. */
  readonly wasSealed: boolean;
}

/** A request to the process. Plain data, because it is copied. */
export type TrialJob = ExplainJob | ReplayJob;

export interface ExplainJob {
  readonly kind: 'explain';
  readonly policies: readonly TrialPolicy[];
  readonly request: unknown;
  /** Approximate characters of its body. */
  readonly requestChars: number;
}

export interface ReplayJob {
  readonly kind: 'replay';
  readonly candidate: readonly TrialPolicy[];
  readonly baseline: readonly TrialPolicy[] | undefined;
  /** `format` undefined: detected. */
  readonly records: { readonly text: string; readonly format: LogFormat | undefined; readonly name: string };
  readonly trustedHops: number;
  /** Judges the candidate as if every part had mode `block`, and fills the placeholders of a draft. */
  readonly enforce: boolean;
}

export type TrialAnswer =
  | { readonly kind: 'explained'; readonly explanation: Explanation; readonly warnings: readonly PolicyWarning[] }
  | { readonly kind: 'replayed'; readonly report: ReplayReport }
  /** The policies are invalid; `side` says which. */
  | { readonly kind: 'policy'; readonly side: 'candidate' | 'baseline'; readonly problems: readonly LoadProblem[] }
  /** The request or the records cannot be parsed. Quotes nothing of them. */
  | { readonly kind: 'request'; readonly path: string; readonly reason: string };
