import { type CompiledEngine, compileEngine } from '@flotilla/engines';
import {
  DomainPlace,
  type EffectiveDomain,
  type EngineBlock,
  type HostPattern,
  type LoadedPolicies,
  PolicyIndex,
} from '@flotilla/policy';
import { BundleScope } from './bundle-scope.ts';
import type { CompileBlock } from './compile-block.ts';
import { DomainBuilder, LateDomain } from './domain-builder.ts';
import { chunkDomain, type DomainChunk, PartOrder } from './domain-chunks.ts';
import { type BundleHead, headOf } from './packed-policies.ts';
import { type ChunkPlace, limitersOf, openPiece, readChunk } from './pieces.ts';
import { CounterBook } from './policy-counters.ts';
import type { BuildOptions, PolicyRuntime } from './runtime.ts';
import type { RuntimePolicy } from './runtime-policy.ts';

/** The limiters of a piece, in block order; undefined for an engine without one. */
export type LimiterIds = readonly (number | undefined)[];

/** How long a domain's cached state is carried from bundle to bundle while no request asks for the domain. */
const REMEMBERED_MS = 60_000;

/** The number of proxies among which an engine's limit is divided. */
const edgesOf = new WeakMap<CompiledEngine, number>();

/** A domain whose chunks are still arriving. */
interface OpenDomain {
  readonly hosts: readonly HostPattern[];
  readonly maker: DomainBuilder;
}

/** Builds a runtime and creates all its domains. */
export function buildRuntime(loaded: LoadedPolicies, options: BuildOptions): PolicyRuntime {
  const builder = new RuntimeBuilder(headOf(loaded), options);
  for (const domain of loaded.domains) builder.addDomain(domain);
  return builder.finish();
}

/** Builds a runtime piece by piece, so that requests can be decided in between. */
export class RuntimeBuilder {
  readonly #head: BundleHead;
  readonly #nowMs: number;
  readonly #previous: PolicyRuntime | undefined;
  readonly #compile: CompileBlock;
  readonly #scope: BundleScope;
  readonly #limiters: CompiledEngine[] = [];
  readonly #byCarryKey = new Map<string, CompiledEngine>();
  readonly #byLimiterId = new Map<number, CompiledEngine>();
  readonly #taken = new Set<CompiledEngine>();
  readonly #index = new PolicyIndex<RuntimePolicy>([], () => {
    throw new Error('domains are added one by one');
  });
  readonly #awaited: DomainPlace<RuntimePolicy>[] = [];
  readonly #order = new PartOrder();
  #open: OpenDomain | undefined;
  #domains = 0;
  #bodyMaxBytes = 0;
  #budgetMs = 0;

  constructor(head: BundleHead, options: BuildOptions) {
    const { nowMs, previous, compile = (block) => compileEngine(block) } = options;
    const counters = options.counters ?? new CounterBook({ policiesMax: head.policyNames.length });
    this.#head = head;
    this.#nowMs = nowMs;
    this.#previous = previous;
    this.#compile = compile;
    this.#scope = new BundleScope({ digest: head.digest, builtAtMs: nowMs, compile, counters });
    // Registers all names now, so that the entries do not depend on which policy is used first.
    for (const name of head.policyNames) counters.countsOf(name);
  }

  /**
   * Takes the next piece from `packPolicies`. Small domains are created on their first request; their limiters and all
   * other domains are created now. Throws if a document list is missing. `limiterIds` is this method's result in the
   * thread whose limiters this one shares.
   */
  add(piece: Uint8Array, limiterIds?: LimiterIds): LimiterIds {
    const opened = openPiece(piece);
    this.#scope.weigh(piece);
    if (opened.kind === 'list') {
      this.#scope.addList(opened.list, this.#previous?.scope);
      return [];
    }
    const { bodyMaxBytes, budgetMs, lists, places } = opened;
    if (lists.some((name) => !this.#scope.lists.has(name))) throw new Error('a list of documents did not come');
    this.#bodyMaxBytes = Math.max(this.#bodyMaxBytes, bodyMaxBytes);
    this.#budgetMs = Math.max(this.#budgetMs, budgetMs);
    const ids: (number | undefined)[] = [];
    const takeLimiter = (block: EngineBlock) => {
      const engine = this.#limiterOf(block, limiterIds?.[ids.length]);
      ids.push(engine.limiter?.id);
      return engine;
    };
    for (const place of places) this.#addChunk(place, takeLimiter);
    return ids;
  }

  addDomain(domain: EffectiveDomain): void {
    this.#begin(domain.hosts);
    for (const { chunk, part, ends } of chunkDomain(domain)) {
      for (const { bodyMaxBytes, budgetMs } of chunk.policies) {
        this.#bodyMaxBytes = Math.max(this.#bodyMaxBytes, bodyMaxBytes);
        this.#budgetMs = Math.max(this.#budgetMs, budgetMs);
      }
      const limiters = limitersOf(chunk).map((block) => this.#limiterOf(block, undefined));
      this.#goOn(chunk, limiters, part === 0 && ends);
    }
  }

  /** Throws if domains or parts of them are missing: a truncated bundle would leave requests unprotected. */
  finish(): PolicyRuntime {
    this.#order.finish();
    this.#close();
    if (this.#domains !== this.#head.domainCount) {
      throw new Error(`${this.#domains} of ${this.#head.domainCount} domains came`);
    }
    const awaited = this.#awaited;
    return {
      ...this.#head,
      builtAtMs: this.#nowMs,
      bodyMaxBytes: this.#bodyMaxBytes,
      budgetMs: this.#budgetMs,
      index: this.#index,
      limiters: this.#limiters,
      byCarryKey: this.#byCarryKey,
      byLimiterId: this.#byLimiterId,
      scope: this.#scope,
      makeAwaited: () => {
        const place = awaited.pop();
        place?.make();
        return place !== undefined;
      },
    };
  }

  #addChunk(place: ChunkPlace, takeLimiter: (block: EngineBlock) => CompiledEngine): void {
    const { piece, at, entry } = place;
    this.#order.take(entry);
    if (entry.isSmall && entry.hosts !== undefined) this.#leave(place, entry.hosts, entry.limiters.map(takeLimiter));
    else {
      if (entry.hosts !== undefined) this.#begin(entry.hosts);
      const chunk = readChunk({ piece, at, bytes: entry.bytes }, this.#scope.lists);
      this.#goOn(chunk, limitersOf(chunk).map(takeLimiter), false);
    }
  }

  #leave(place: ChunkPlace, hosts: readonly HostPattern[], limiters: readonly CompiledEngine[]): void {
    this.#close();
    this.#domains += 1;
    const wasAsked = hosts.some((host) => this.#previous?.index.wasAsked(host));
    const memory = this.#previous?.scope.memoryOf(hosts);
    const askedMs = wasAsked ? this.#nowMs : memory?.askedMs;
    const isKept = askedMs !== undefined && this.#nowMs - askedMs <= REMEMBERED_MS;
    const carried = isKept ? memory?.engines : undefined;
    const late = new DomainPlace(undefined, new LateDomain(this.#scope, place, { limiters, carried }));
    this.#index.enter(hosts, late);
    // Also kept for the next bundle, which may come before a request asks this one.
    if (carried !== undefined) this.#scope.remember(hosts, carried, askedMs);
    if (wasAsked) this.#awaited.push(late);
  }

  #begin(hosts: readonly HostPattern[]): void {
    this.#close();
    this.#open = {
      hosts,
      maker: new DomainBuilder(this.#scope, hosts, this.#previous?.scope.memoryOf(hosts)?.engines),
    };
  }

  #goOn(chunk: DomainChunk, limiters: readonly CompiledEngine[], isWhole: boolean): void {
    this.#open?.maker.add(chunk, limiters);
    if (!isWhole) this.#open?.maker.prepare();
  }

  #close(): void {
    if (this.#open !== undefined) {
      const { hosts, maker } = this.#open;
      this.#index.enter(hosts, new DomainPlace(maker.finish(), undefined));
      this.#domains += 1;
    }
    this.#open = undefined;
  }

  #limiterOf(block: EngineBlock, limiterId: number | undefined): CompiledEngine {
    const engine = this.#carryOrCompile(block, limiterId);
    this.#taken.add(engine);
    this.#limiters.push(engine);
    for (const key of block.carryKeys) this.#byCarryKey.set(key, engine);
    const id = engine.limiter?.id;
    if (id !== undefined) this.#byLimiterId.set(id, engine);
    return engine;
  }

  #carryOrCompile(block: EngineBlock, limiterId: number | undefined): CompiledEngine {
    const carried = this.#carriedLimiter(block, limiterId);
    if (carried !== undefined && edgesOf.get(carried) === block.edges) return carried;
    // The number of proxies changed: creates another handle on the same buckets, with a different share of the limit.
    if (carried !== undefined) this.#taken.add(carried);
    const engine = this.#compile(block, limiterId ?? carried?.limiter?.id);
    edgesOf.set(engine, block.edges);
    return engine;
  }

  #carriedLimiter(block: EngineBlock, limiterId: number | undefined): CompiledEngine | undefined {
    if (limiterId !== undefined) return this.#previous?.byLimiterId.get(limiterId);
    // A domain may have gained or lost hosts. One common host is enough, but an engine must not serve two blocks.
    for (const key of block.carryKeys) {
      const engine = this.#previous?.byCarryKey.get(key);
      if (engine !== undefined && !this.#taken.has(engine)) return engine;
    }
    return undefined;
  }
}
