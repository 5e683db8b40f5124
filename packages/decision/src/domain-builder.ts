import { type CompiledEngine, hasLimiter } from '@flotilla/engines';
import { DomainIndex, type DomainSource, type HostPattern } from '@flotilla/policy';
import type { BundleScope, NamedEngines } from './bundle-scope.ts';
import type { DomainChunk } from './domain-chunks.ts';
import { type ChunkPlace, readChunk } from './pieces.ts';
import type { RuntimePolicy } from './runtime-policy.ts';

/** Creates one domain from its chunks. */
export class DomainBuilder {
  readonly #scope: BundleScope;
  readonly #hosts: readonly HostPattern[];
  readonly #carried: NamedEngines | undefined;
  /** Indexed by block number. */
  readonly #engines: CompiledEngine[] = [];
  readonly #named = new Map<string, CompiledEngine>();
  #index: DomainIndex<RuntimePolicy> | undefined;

  constructor(scope: BundleScope, hosts: readonly HostPattern[], carried: NamedEngines | undefined) {
    this.#scope = scope;
    this.#hosts = hosts;
    this.#carried = carried;
  }

  /** `limiters` are the engines of the chunk's blocks that have a limiter, in order. */
  add(chunk: DomainChunk, limiters: readonly CompiledEngine[]): void {
    const left = limiters.values();
    for (const block of chunk.blocks) {
      if (hasLimiter(block)) {
        const { value } = left.next();
        if (value === undefined) throw new Error('a limiter came without its block');
        this.#engines.push(value);
        continue;
      }
      const engine = this.#scope.engineOf(block, this.#carried);
      this.#engines.push(engine);
      for (const key of block.carryKeys) this.#named.set(key, engine);
    }
    this.#addPolicies(chunk);
  }

  /** For a domain with many chunks: prepares the index, so that no work is left to the first request. */
  prepare(): void {
    this.#index?.prepare();
  }

  finish(): DomainIndex<RuntimePolicy> {
    if (this.#index === undefined) throw new Error('a domain came without its policy');
    this.#scope.remember(this.#hosts, this.#named);
    return this.#index;
  }

  #addPolicies({ policies, routes }: DomainChunk): void {
    const engines = policies.map((policy) => policy.engines.map((number) => this.#engineAt(number)));
    const make = (number: number, pathPrefix: string | undefined): RuntimePolicy => {
      const policy = policies[number];
      if (policy === undefined) throw new Error(`a route came before its policy ${number}`);
      return this.#scope.policyOf(policy, engines[number] ?? [], pathPrefix);
    };
    this.#index ??= new DomainIndex({ hosts: this.#hosts, policy: make(0, undefined), routes: [] });
    for (const [pathPrefix, number] of routes) this.#index.add(pathPrefix, make(number, pathPrefix));
  }

  #engineAt(number: number): CompiledEngine {
    const engine = this.#engines[number];
    if (engine === undefined) throw new Error(`a policy came before its engine block ${number}`);
    return engine;
  }
}

/** A small domain that no request has asked for yet: the bytes it will be created from, and its limiters. */
export class LateDomain implements DomainSource<RuntimePolicy> {
  readonly #scope: BundleScope;
  readonly #hosts: readonly HostPattern[];
  readonly #carried: NamedEngines | undefined;
  readonly #limiters: readonly CompiledEngine[];
  readonly #piece: Buffer;
  readonly #at: number;
  readonly #bytes: number;

  /** `carried`: cached engines of the previous bundle. */
  constructor(
    scope: BundleScope,
    { piece, at, entry }: ChunkPlace,
    { limiters, carried }: { readonly limiters: readonly CompiledEngine[]; readonly carried: NamedEngines | undefined },
  ) {
    this.#scope = scope;
    this.#hosts = entry.hosts ?? [];
    this.#carried = carried;
    this.#limiters = limiters;
    // Keeps the parts but not the entry, whose limiters are no longer needed.
    this.#piece = piece;
    this.#at = at;
    this.#bytes = entry.bytes;
  }

  make(): DomainIndex<RuntimePolicy> {
    const maker = new DomainBuilder(this.#scope, this.#hosts, this.#carried);
    const place = { piece: this.#piece, at: this.#at, bytes: this.#bytes };
    maker.add(readChunk(place, this.#scope.lists), this.#limiters);
    return maker.finish();
  }
}
