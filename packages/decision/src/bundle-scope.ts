import { type CompiledEngine, type Grant, withholdHeaders } from '@flotilla/engines';
import { type EngineBlock, formatHostPattern, type HostPattern } from '@flotilla/policy';
import type { PackedPolicy } from './domain-chunks.ts';
import type { BuildOptions, PolicyCountsSource, RuntimePolicy } from './runtime.ts';

/** Engines by the names of their blocks that outlive a reload. */
export type NamedEngines = ReadonlyMap<string, CompiledEngine>;

/** What the domains of one bundle have in common while they are made; some are made long after the bundle began to hold. */
export class BundleScope {
  readonly #digest: string;
  readonly #compile: NonNullable<BuildOptions['compile']>;
  readonly #counters: PolicyCountsSource;
  readonly #withheld = new Map<string, Grant>();
  readonly #taken = new Set<CompiledEngine>();
  /**
   * What the domains that are in use remember (verified tokens, presented keys), by their hosts: the engines without a
   * limiter of those that are made, and of the bundle before for those that will be.
   */
  readonly #inUse = new Map<string, NamedEngines>();

  constructor(digest: string, compile: NonNullable<BuildOptions['compile']>, counters: PolicyCountsSource) {
    this.#digest = digest;
    this.#compile = compile;
    this.#counters = counters;
  }

  /** What a domain of these hosts remembers; undefined where no request asked for it. */
  inUse(hosts: readonly HostPattern[]): NamedEngines | undefined {
    if (this.#inUse.size === 0) return undefined;
    const found = new Set(hosts.flatMap((host) => this.#inUse.get(formatHostPattern(host)) ?? []));
    const [only] = found;
    return found.size <= 1 ? only : new Map([...found].flatMap((engines) => [...engines]));
  }

  setInUse(hosts: readonly HostPattern[], engines: NamedEngines): void {
    for (const host of hosts) this.#inUse.set(formatHostPattern(host), engines);
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
