import type { CompiledEngine, Grant } from '@flotilla/engines';
import type { BlockResponse, FailMode, PolicyMode } from '@flotilla/policy';
import type { PolicyCounts } from './policy-counters.ts';

/** An effective policy with its engines. */
export interface RuntimePolicy {
  /** `metadata.name` of the document. */
  readonly name: string;
  /** Digest of the bundle. */
  readonly digest: string;
  /** The route's prefix; undefined for the domain's own policy. */
  readonly pathPrefix: string | undefined;
  readonly mode: PolicyMode;
  readonly failMode: FailMode;
  readonly engines: readonly CompiledEngine[];
  /** Removes headers from requests that only engines of other routes may set. */
  readonly withheld: Grant | undefined;
  /** 0 if bodies are not inspected. */
  readonly bodyMaxBytes: number;
  readonly budgetMs: number;
  /** Custom response for blocked clients; undefined for the default. */
  readonly blockResponse: BlockResponse | undefined;
  /** Counts of all policies with this name, in this bundle and previous ones. */
  readonly counts: PolicyCounts;
}
