import type { CompiledEngine } from '@flotilla/engines';
import type { PolicyIndex } from '@flotilla/policy';
import type { BundleScope } from './bundle-scope.ts';
import type { CompileBlock } from './compile-block.ts';
import type { PolicyCountsSource } from './policy-counters.ts';
import type { RuntimePolicy } from './runtime-policy.ts';

/**
 * One compiled bundle. Its decisions never change after it is built; a request keeps the runtime it began with. Small
 * domains that came in pieces are created when a request first asks for them.
 */
export interface PolicyRuntime {
  readonly digest: string;
  readonly policyNames: readonly string[];
  readonly domainCount: number;
  readonly builtAtMs: number;
  readonly index: PolicyIndex<RuntimePolicy>;
  /** The maximum of all its policies, which Envoy must allow. */
  readonly bodyMaxBytes: number;
  readonly budgetMs: number;
  /** Every engine with a limiter once. They are created with the bundle, before any request asks for them. */
  readonly limiters: readonly CompiledEngine[];
  /** The same by their carry keys, which survive a reload. */
  readonly byCarryKey: ReadonlyMap<string, CompiledEngine>;
  /** The same by the ids that all threads use for their limiters. */
  readonly byLimiterId: ReadonlyMap<number, CompiledEngine>;
  /** State shared by its domains, including caches. */
  readonly scope: BundleScope;
  /**
   * Creates a domain that requests had asked the previous bundle for, so that the next request does not wait for it.
   * False if none is left. Throws if it cannot be created; its requests try again.
   */
  makeAwaited(): boolean;
}

export interface BuildOptions {
  readonly nowMs: number;
  /** The runtime to be replaced: engines of unchanged blocks keep their state. */
  readonly previous?: PolicyRuntime;
  readonly compile?: CompileBlock;
  /** Counts requests. Default: its own `CounterBook`. */
  readonly counters?: PolicyCountsSource;
}
