import type { CompiledEngine, Grant } from '@flotilla/engines';
import type { BlockResponse, EngineBlock, FailMode, PolicyIndex, PolicyMode } from '@flotilla/policy';
import type { BundleScope } from './bundle-scope.ts';
import type { PolicyCounts } from './policy-counters.ts';

/** An effective policy with its engines made. */
export interface RuntimePolicy {
  /** `metadata.name` of the document. */
  readonly name: string;
  /** Of the bundle. */
  readonly digest: string;
  /** The route's prefix; undefined for the domain's own policy. */
  readonly pathPrefix: string | undefined;
  readonly mode: PolicyMode;
  readonly failMode: FailMode;
  readonly engines: readonly CompiledEngine[];
  /** Takes headers from requests that only engines of other routes may set. */
  readonly withheld: Grant | undefined;
  /** 0 where bodies are not inspected. */
  readonly bodyMaxBytes: number;
  readonly budgetMs: number;
  /** What blocked clients get; undefined where it is what the specification says. */
  readonly blockResponse: BlockResponse | undefined;
  /** Of all policies of the same name, in this bundle and those before. */
  readonly counts: PolicyCounts;
}

/**
 * One compiled bundle. What it decides never changes after it is built; a request holds the one it began with. Domains that
 * came in pieces, small ones, are made when a request first asks for them.
 */
export interface PolicyRuntime {
  readonly digest: string;
  readonly policyNames: readonly string[];
  readonly domainCount: number;
  readonly builtAtMs: number;
  readonly index: PolicyIndex<RuntimePolicy>;
  /** The largest of all its policies: what Envoy must at least grant. */
  readonly bodyMaxBytes: number;
  readonly budgetMs: number;
  /** Every engine with a limiter once. They are made with the bundle, before any request asks for them. */
  readonly limiters: readonly CompiledEngine[];
  /** Those by the names of their blocks that outlive a reload. */
  readonly byCarryKey: ReadonlyMap<string, CompiledEngine>;
  /** Those by the number that all threads know their limiters by. */
  readonly byLimiterId: ReadonlyMap<number, CompiledEngine>;
  /** What its domains have in common, and remember. */
  readonly scope: BundleScope;
  /**
   * Makes a domain that requests had asked the bundle before for, so that the next one does not wait for it. False where
   * there is none left. Throws where it cannot be made; its requests try again.
   */
  makeAwaited(): boolean;
}

/** What a runtime counts by; a `CounterBook`, or the counts of another thread. */
export interface PolicyCountsSource {
  countsOf(policyName: string): PolicyCounts;
}

export interface BuildOptions {
  readonly nowMs: number;
  /** The runtime to be replaced: engines whose block did not change move over with their state. */
  readonly previous?: PolicyRuntime;
  /** `limiterId`: the limiter that another thread has made for the same block, or this one with another part of the limit. */
  readonly compile?: (block: EngineBlock, limiterId?: number) => CompiledEngine;
  /** Where requests are counted; a book of its own unless given. */
  readonly counters?: PolicyCountsSource;
}
