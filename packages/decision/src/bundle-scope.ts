import { type CompiledEngine, type Grant, withholdHeaders } from '@flotilla/engines';
import { type DocumentList, type EngineBlock, formatHostPattern, type HostPattern } from '@flotilla/policy';
import type { CompileBlock } from './compile-block.ts';
import type { PackedPolicy } from './domain-chunks.ts';
import type { PolicyCountsSource } from './policy-counters.ts';
import type { RuntimePolicy } from './runtime-policy.ts';

/** Engines by the carry keys of their blocks, which survive a reload. */
export type NamedEngines = ReadonlyMap<string, CompiledEngine>;

/** The engines of a domain with cached state (verified tokens, presented keys). */
export interface DomainMemory {
  readonly engines: NamedEngines;
  /** When a request last asked for the domain, in milliseconds of the clock that bundles are built with; a lower bound. */
  readonly askedMs: number;
}

interface BundleScopeOptions {
  readonly digest: string;
  readonly builtAtMs: number;
  readonly compile: CompileBlock;
  readonly counters: PolicyCountsSource;
}

/** State shared by the domains of one bundle. Some domains are created long after the bundle took effect. */
export class BundleScope {
  readonly #digest: string;
  readonly #builtAtMs: number;
  readonly #compile: CompileBlock;
  readonly #counters: PolicyCountsSource;
  readonly #withheld = new Map<string, Grant>();
  readonly #taken = new Set<CompiledEngine>();
  /**
   * Maps hosts to engines without a limiter: those of created domains, and those from previous bundles for domains that
   * may still be created.
   */
  readonly #memories = new Map<string, DomainMemory>();
  readonly #ballast: ArrayBuffer[] = [];
  readonly #lists = new Map<string, DocumentList>();

  constructor({ digest, builtAtMs, compile, counters }: BundleScopeOptions) {
    this.#digest = digest;
    this.#builtAtMs = builtAtMs;
    this.#compile = compile;
    this.#counters = counters;
  }

  /**
   * Makes the garbage collector aware of a piece. V8 does not count shared memory, so an idle thread would keep the
   * pieces of dozens of old bundles. An unused ArrayBuffer of the same size is counted.
   */
  weigh(piece: Uint8Array): void {
    if (piece.buffer instanceof SharedArrayBuffer) this.#ballast.push(new ArrayBuffer(piece.byteLength));
  }

  /** The document lists received so far. */
  get lists(): ReadonlyMap<string, DocumentList> {
    return this.#lists;
  }

  /** Reuses the list of the previous bundle if it has the same one, because carried engines view its bytes. */
  addList(list: DocumentList, before: BundleScope | undefined): void {
    this.#lists.set(list.sha256, before?.lists.get(list.sha256) ?? list);
  }

  /** The cached state of a domain with these hosts; undefined if no such domain was created or its state was dropped. */
  memoryOf(hosts: readonly HostPattern[]): DomainMemory | undefined {
    if (this.#memories.size === 0) return undefined;
    const found = [...new Set(hosts.flatMap((host) => this.#memories.get(formatHostPattern(host)) ?? []))];
    if (found.length <= 1) return found[0];
    return {
      engines: new Map(found.flatMap(({ engines }) => [...engines])),
      askedMs: Math.max(...found.map(({ askedMs }) => askedMs)),
    };
  }

  remember(hosts: readonly HostPattern[], engines: NamedEngines, askedMs = this.#builtAtMs): void {
    const memory = { engines, askedMs };
    for (const host of hosts) this.#memories.set(formatHostPattern(host), memory);
  }

  /** Returns the engine of a block without a limiter. Reuses the previous bundle's engine if the block did not change. */
  engineOf(block: EngineBlock, carried: NamedEngines | undefined): CompiledEngine {
    for (const key of carried === undefined ? [] : block.carryKeys) {
      const engine = carried?.get(key);
      if (engine === undefined || this.#taken.has(engine)) continue;
      // A domain may have been split: an engine must not serve two blocks.
      this.#taken.add(engine);
      return engine;
    }
    return this.#compile(block);
  }

  policyOf(packed: PackedPolicy, engines: readonly CompiledEngine[], pathPrefix: string | undefined): RuntimePolicy {
    return {
      name: packed.policyName,
      digest: this.#digest,
      pathPrefix,
      bodyMaxBytes: packed.bodyMaxBytes,
      budgetMs: packed.budgetMs,
      blockResponse: packed.blockResponse,
      mode: packed.mode,
      failMode: packed.failMode,
      engines,
      withheld: this.#withheldOf(packed.withheldHeaders),
      counts: this.#counters.countsOf(packed.policyName),
    };
  }

  /** All policies of a bundle withhold the same headers. They share one grant, so that responses are encoded once. */
  #withheldOf(headers: readonly string[]): Grant | undefined {
    if (headers.length === 0) return undefined;
    const key = headers.join();
    const known = this.#withheld.get(key) ?? withholdHeaders(headers);
    if (known !== undefined) this.#withheld.set(key, known);
    return known;
  }
}
