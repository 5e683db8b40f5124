import { type CompiledEngine, compileEngine, type Grant, type Limiter, withholdHeaders } from '@flotilla/engines';
import {
  type BlockResponse,
  type EngineBlock,
  type FailMode,
  type LoadedPolicies,
  PolicyIndex,
  type PolicyMode,
} from '@flotilla/policy';
import { type BundleHead, headOf, type PackedItem, type PackedPolicy, packPolicies } from './packed-policies.ts';
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

/** One compiled bundle. Never changes after it is built; a request holds the one it began with. */
export interface PolicyRuntime {
  readonly digest: string;
  readonly policyNames: readonly string[];
  readonly domainCount: number;
  readonly builtAtMs: number;
  readonly index: PolicyIndex<RuntimePolicy>;
  /** The largest of all its policies: what Envoy must at least grant. */
  readonly bodyMaxBytes: number;
  readonly budgetMs: number;
  /** Every engine once. */
  readonly engines: readonly CompiledEngine[];
  /** The engines by the names of their blocks that outlive a reload. */
  readonly byCarryKey: ReadonlyMap<string, CompiledEngine>;
  /** Limiters by the number that all threads know them by. */
  readonly byLimiterId: ReadonlyMap<number, CompiledEngine>;
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

export function buildRuntime(loaded: LoadedPolicies, options: BuildOptions): PolicyRuntime {
  const builder = new RuntimeBuilder(headOf(loaded), options);
  for (const item of packPolicies(loaded.domains)) builder.add(item);
  return builder.finish();
}

/** How many proxies an engine was made to share its limit with. */
const edgesOf = new WeakMap<CompiledEngine, number>();

interface OpenDomain {
  readonly hosts: (PackedItem & { kind: 'domain' })['hosts'];
  readonly policy: RuntimePolicy;
  readonly routes: { readonly pathPrefix: string; readonly policy: RuntimePolicy }[];
}

/** Builds a runtime piece by piece, so that requests can be decided in between. */
export class RuntimeBuilder {
  readonly #head: BundleHead;
  readonly #nowMs: number;
  readonly #previous: PolicyRuntime | undefined;
  readonly #compile: (block: EngineBlock, limiterId?: number) => CompiledEngine;
  readonly #counters: PolicyCountsSource;
  readonly #engines: CompiledEngine[] = [];
  readonly #byCarryKey = new Map<string, CompiledEngine>();
  readonly #byLimiterId = new Map<number, CompiledEngine>();
  readonly #taken = new Set<CompiledEngine>();
  readonly #withheld = new Map<string, Grant>();
  readonly #index = new PolicyIndex<RuntimePolicy>([], () => {
    throw new Error('domains are added one by one');
  });
  #domain: OpenDomain | undefined;
  #bodyMaxBytes = 0;
  #budgetMs = 0;

  constructor(head: BundleHead, options: BuildOptions) {
    this.#head = head;
    this.#nowMs = options.nowMs;
    this.#previous = options.previous;
    this.#compile = options.compile ?? ((block) => compileEngine(block));
    this.#counters = options.counters ?? new CounterBook({ policiesMax: head.policyNames.length });
  }

  /** Takes the next item of `packPolicies`. Returns it as another thread must take it to share the state of engines. */
  add(item: PackedItem): PackedItem {
    switch (item.kind) {
      case 'block': {
        const engine = this.#engineOf(item.block, item.limiterId);
        this.#engines.push(engine);
        const limiterId = limiterOf(engine)?.id;
        if (limiterId === undefined) return item;
        this.#byLimiterId.set(limiterId, engine);
        return { ...item, limiterId };
      }
      case 'domain':
        this.#closeDomain();
        this.#domain = { hosts: item.hosts, policy: this.#attach(item.policy), routes: [] };
        return item;
      case 'route':
        this.#domain?.routes.push({ pathPrefix: item.pathPrefix, policy: this.#attach(item.policy) });
        return item;
    }
  }

  finish(): PolicyRuntime {
    this.#closeDomain();
    return {
      ...this.#head,
      builtAtMs: this.#nowMs,
      bodyMaxBytes: this.#bodyMaxBytes,
      budgetMs: this.#budgetMs,
      index: this.#index,
      engines: this.#engines,
      byCarryKey: this.#byCarryKey,
      byLimiterId: this.#byLimiterId,
    };
  }

  #engineOf(block: EngineBlock, limiterId: number | undefined): CompiledEngine {
    const engine = this.#carryOrCompile(block, limiterId);
    this.#taken.add(engine);
    for (const key of block.carryKeys) this.#byCarryKey.set(key, engine);
    return engine;
  }

  #carryOrCompile(block: EngineBlock, limiterId: number | undefined): CompiledEngine {
    const carried = this.#carriedEngine(block, limiterId);
    if (carried !== undefined && edgesOf.get(carried) === block.edges) return carried;
    // Other proxies came or went: another handle on the same buckets, with another part of the limit.
    if (carried !== undefined) this.#taken.add(carried);
    const engine = this.#compile(block, limiterId ?? (carried && limiterOf(carried)?.id));
    edgesOf.set(engine, block.edges);
    return engine;
  }

  #carriedEngine(block: EngineBlock, limiterId: number | undefined): CompiledEngine | undefined {
    if (limiterId !== undefined) return this.#previous?.byLimiterId.get(limiterId);
    // A domain may have gained or lost hosts: one host in common is enough, but no engine goes to two blocks.
    for (const key of block.carryKeys) {
      const engine = this.#previous?.byCarryKey.get(key);
      if (engine !== undefined && !this.#taken.has(engine)) return engine;
    }
    return undefined;
  }

  #attach(policy: PackedPolicy): RuntimePolicy {
    this.#bodyMaxBytes = Math.max(this.#bodyMaxBytes, policy.bodyMaxBytes);
    this.#budgetMs = Math.max(this.#budgetMs, policy.budgetMs);
    return {
      name: policy.policyName,
      digest: this.#head.digest,
      pathPrefix: policy.pathPrefix,
      bodyMaxBytes: policy.bodyMaxBytes,
      budgetMs: policy.budgetMs,
      blockResponse: policy.blockResponse,
      mode: policy.mode,
      failMode: policy.failMode,
      engines: policy.engines.map((number) => this.#engineAt(number)),
      withheld: this.#withheldOf(policy.withheldHeaders),
      counts: this.#counters.countsOf(policy.policyName),
    };
  }

  /** Routes of a domain withhold the same headers: one grant for all, so that answers are encoded once. */
  #withheldOf(headers: readonly string[]): Grant | undefined {
    if (headers.length === 0) return undefined;
    const key = headers.join();
    const known = this.#withheld.get(key) ?? withholdHeaders(headers);
    if (known !== undefined) this.#withheld.set(key, known);
    return known;
  }

  #engineAt(number: number): CompiledEngine {
    const engine = this.#engines[number];
    if (engine === undefined) throw new Error(`a policy came before its engine block ${number}`);
    return engine;
  }

  #closeDomain(): void {
    if (this.#domain !== undefined) this.#index.add(this.#domain);
    this.#domain = undefined;
  }
}

/** The limiter of an engine that has one. */
export function limiterOf(engine: CompiledEngine): Limiter | undefined {
  return engine.name === 'rate_limit' && 'limiter' in engine ? (engine.limiter as Limiter) : undefined;
}
