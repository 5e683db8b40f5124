import { type CompiledEngine, type Grant, withholdHeaders } from '@flotilla/engines';
import { type DocumentList, type EngineBlock, formatHostPattern, type HostPattern } from '@flotilla/policy';
import type { PackedPolicy } from './domain-chunks.ts';
import type { BuildOptions, PolicyCountsSource, RuntimePolicy } from './runtime.ts';

/** Engines by the names of their blocks that outlive a reload. */
export type NamedEngines = ReadonlyMap<string, CompiledEngine>;

/** What a domain remembers (verified tokens, presented keys). */
export interface DomainMemory {
  readonly engines: NamedEngines;
  /** Until then at least, in milliseconds of the clock that bundles are built by, requests asked for the domain. */
  readonly askedMs: number;
}

interface BundleScopeOptions {
  readonly digest: string;
  readonly builtAtMs: number;
  readonly compile: NonNullable<BuildOptions['compile']>;
  readonly counters: PolicyCountsSource;
}

/** What the domains of one bundle have in common while they are made; some are made long after the bundle began to hold. */
export class BundleScope {
  readonly #digest: string;
  readonly #builtAtMs: number;
  readonly #compile: NonNullable<BuildOptions['compile']>;
  readonly #counters: PolicyCountsSource;
  readonly #withheld = new Map<string, Grant>();
  readonly #taken = new Set<CompiledEngine>();
  /**
   * By the hosts of domains: the engines without a limiter of those that are made, and of bundles before for those that
   * may yet be made.
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
   * Lets the engine's collector know of a piece. It counts no shared memory, so a thread with little to do would keep the
   * pieces of dozens of bundles that hold no more before it looks; of this memory, which is never written to, it counts
   * as much.
   */
  weigh(piece: Uint8Array): void {
    if (piece.buffer instanceof SharedArrayBuffer) this.#ballast.push(new ArrayBuffer(piece.byteLength));
  }

  /** Lists of documents that came before what names them. */
  get lists(): ReadonlyMap<string, DocumentList> {
    return this.#lists;
  }

  /** A list that the bundle before has, too, stays that one: engines that it goes on with view its bytes. */
  addList(list: DocumentList, before: BundleScope | undefined): void {
    this.#lists.set(list.sha256, before?.lists.get(list.sha256) ?? list);
  }

  /** What a domain of these hosts remembers; undefined where none of them was made, or what it knew was given up. */
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

  /** The engine of a block without a limiter: that of the bundle before, where the block did not change. */
  engineOf(block: EngineBlock, carried: NamedEngines | undefined): CompiledEngine {
    for (const key of carried === undefined ? [] : block.carryKeys) {
      const engine = carried?.get(key);
      if (engine === undefined || this.#taken.has(engine)) continue;
      // A domain may have been divided: no engine goes to two blocks.
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

  /** Policies of a bundle withhold the same headers: one grant for all, so that answers are encoded once. */
  #withheldOf(headers: readonly string[]): Grant | undefined {
    if (headers.length === 0) return undefined;
    const key = headers.join();
    const known = this.#withheld.get(key) ?? withholdHeaders(headers);
    if (known !== undefined) this.#withheld.set(key, known);
    return known;
  }
}
