import type { Explanation, PolicyWarning, ReplayReport } from '@flotilla/contract';
import type { LogFormat } from '@flotilla/decision';
import type { LoadProblem } from '@flotilla/policy';

/** One policy as it goes to the process; a draft may be an object. */
export interface TrialPolicy {
  readonly name: string;
  readonly content: string | Readonly<Record<string, unknown>>;
  readonly files: readonly TrialFile[];
}

export interface TrialFile {
  readonly path: string;
  readonly content_base64: string;
  /** A stored secret: used where the policy names it as a secret, and nowhere else. */
  readonly wasSealed: boolean;
}

/** What a process is asked to do. Plain data: it is copied on its way. */
export type TrialJob = ExplainJob | ReplayJob;

export interface ExplainJob {
  readonly kind: 'explain';
  readonly policies: readonly TrialPolicy[];
  readonly request: unknown;
  /** Characters of its body, about. */
  readonly requestChars: number;
}

export interface ReplayJob {
  readonly kind: 'replay';
  readonly candidate: readonly TrialPolicy[];
  readonly baseline: readonly TrialPolicy[] | undefined;
  /** `format` undefined: found out. */
  readonly records: { readonly text: string; readonly format: LogFormat | undefined; readonly name: string };
  readonly trustedHops: number;
}

export type TrialAnswer =
  | { readonly kind: 'explained'; readonly explanation: Explanation; readonly warnings: readonly PolicyWarning[] }
  | { readonly kind: 'replayed'; readonly report: ReplayReport }
  /** The policies do not hold; `side` says which. */
  | { readonly kind: 'policy'; readonly side: 'candidate' | 'baseline'; readonly problems: readonly LoadProblem[] }
  /** What is tried cannot be read. Quotes nothing of it. */
  | { readonly kind: 'request'; readonly path: string; readonly reason: string };
