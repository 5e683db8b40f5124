import { type CompiledEngine, compileEngine } from '@flotilla/engines';
import {
  type EffectivePolicy,
  type EngineBlock,
  type FailMode,
  type LoadedPolicies,
  PolicyIndex,
  type PolicyMode,
} from '@flotilla/policy';
import { CounterBook, type PolicyCounts } from './policy-counters.ts';

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
  /** 0 where bodies are not inspected. */
  readonly bodyMaxBytes: number;
  readonly budgetMs: number;
  /** Of all policies of the same name, in this bundle and those before. */
  readonly counts: PolicyCounts;
}

/** One compiled bundle. Never changes after it is built; a request holds the one it began with. */
export interface PolicyRuntime {
  readonly digest: string;
  readonly policyNames: readonly string[];
  readonly domainCount: number;
  readonly builtAtMs: number;
  readonly index: PolicyIndex<RuntimePolicy>;
  /** Every engine once. */
  readonly engines: readonly CompiledEngine[];
  /** The engines by the names of their blocks that outlive a reload. */
  readonly byCarryKey: ReadonlyMap<string, CompiledEngine>;
}

export interface BuildOptions {
  readonly nowMs: number;
  /** The runtime to be replaced: engines whose block did not change move over with their state. */
  readonly previous?: PolicyRuntime;
  readonly compile?: (block: EngineBlock) => CompiledEngine;
  /** Where requests are counted; a book of its own unless given. */
  readonly counters?: CounterBook;
}

export function buildRuntime(loaded: LoadedPolicies, options: BuildOptions): PolicyRuntime {
  const { nowMs, previous, compile = compileEngine, counters = new CounterBook() } = options;
  const byBlock = new Map<EngineBlock, CompiledEngine>();
  const byCarryKey = new Map<string, CompiledEngine>();
  const taken = new Set<CompiledEngine>();

  const engineOf = (block: EngineBlock): CompiledEngine => {
    const known = byBlock.get(block);
    if (known) return known;
    // A domain may have gained or lost hosts: one host in common is enough, but no engine goes to two blocks.
    const carried = block.carryKeys
      .map((key) => previous?.byCarryKey.get(key))
      .find((engine) => engine !== undefined && !taken.has(engine));
    const engine = carried ?? compile(block);
    taken.add(engine);
    byBlock.set(block, engine);
    for (const key of block.carryKeys) byCarryKey.set(key, engine);
    return engine;
  };
  const attach = (policy: EffectivePolicy): RuntimePolicy => ({
    name: policy.policyName,
    digest: loaded.digest,
    pathPrefix: policy.pathPrefix,
    bodyMaxBytes: policy.bodyMaxBytes,
    budgetMs: policy.budgetMs,
    mode: policy.mode,
    failMode: policy.failMode,
    engines: policy.engines.map(engineOf),
    counts: counters.countsOf(policy.policyName),
  });
  return {
    digest: loaded.digest,
    policyNames: loaded.policyNames,
    domainCount: loaded.domains.length,
    builtAtMs: nowMs,
    index: new PolicyIndex(loaded.domains, attach),
    engines: [...byBlock.values()],
    byCarryKey,
  };
}
