import type { EffectiveDomain, EffectivePolicy, EngineBlock } from '@flotilla/policy';

/**
 * An effective policy that refers to its blocks by their number in the domain. The path prefix is stored with the
 * route.
 */
export interface PackedPolicy extends Omit<EffectivePolicy, 'engines' | 'pathPrefix'> {
  readonly engines: readonly number[];
}

/** Part of a domain: blocks, and policies and routes that refer only to blocks up to here. Plain JSON data. */
export interface DomainChunk {
  /** Numbered consecutively through all chunks of the domain. */
  readonly blocks: readonly EngineBlock[];
  /** The first policy of the first chunk is the one of the domain itself. */
  readonly policies: readonly PackedPolicy[];
  /** `policy` is the index of a policy in this chunk. */
  readonly routes: readonly (readonly [pathPrefix: string, policy: number])[];
}

/** Maximum of blocks and routes in one chunk, which are created in a quarter of a millisecond. */
const ITEMS_MAX = 128;

/** The position of a chunk in its domain. */
export interface DomainPart {
  /** Starts at 0. */
  readonly part: number;
  /** This is the last chunk of the domain. */
  readonly ends: boolean;
}

/** Throws if parts of a domain are missing, because requests to it would pass unprotected. */
export class PartOrder {
  /** 0 between two domains. */
  #next = 0;

  take({ part, ends }: DomainPart): void {
    if (part !== this.#next) throw new Error(`part ${part} of a domain came instead of part ${this.#next}`);
    this.#next = ends ? 0 : part + 1;
  }

  finish(): void {
    if (this.#next !== 0) throw new Error(`a domain ended behind its first ${this.#next} parts`);
  }
}

/** Splits a domain into chunks of bounded size; usually one. */
export function* chunkDomain(domain: EffectiveDomain): Generator<DomainPart & { readonly chunk: DomainChunk }, void> {
  const numbers = new Map<EngineBlock, number>();
  let chunk = new ChunkWriter(numbers);
  chunk.numberOf(domain.policy);
  let part = 0;
  for (const { pathPrefix, policy } of domain.routes) {
    if (chunk.items >= ITEMS_MAX) {
      yield { chunk, part, ends: false };
      chunk = new ChunkWriter(numbers);
      part += 1;
    }
    chunk.routes.push([pathPrefix, chunk.numberOf(policy)]);
  }
  yield { chunk, part, ends: true };
}

class ChunkWriter implements DomainChunk {
  readonly blocks: EngineBlock[] = [];
  readonly policies: PackedPolicy[] = [];
  readonly routes: [string, number][] = [];
  readonly #numbers: Map<EngineBlock, number>;
  /** The original policies of the packed ones. */
  readonly #packed: EffectivePolicy[] = [];

  constructor(numbers: Map<EngineBlock, number>) {
    this.#numbers = numbers;
  }

  get items(): number {
    return this.blocks.length + this.routes.length;
  }

  /** Most routes have the policy of their domain or of the previous route, which is then packed once. */
  numberOf(policy: EffectivePolicy): number {
    const last = this.#packed.length - 1;
    for (const known of [0, last]) if (isAlike(this.#packed[known], policy)) return known;
    const { engines, pathPrefix: _, ...rest } = policy;
    this.#packed.push(policy);
    return this.policies.push({ ...rest, engines: engines.map((block) => this.#numberOfBlock(block)) }) - 1;
  }

  #numberOfBlock(block: EngineBlock): number {
    const known = this.#numbers.get(block);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(block, number);
    this.blocks.push(block);
    return number;
  }
}

/** Whether two policies are the same except for their prefix. A false negative only costs space. */
function isAlike(a: EffectivePolicy | undefined, b: EffectivePolicy): boolean {
  return (
    a !== undefined &&
    a.mode === b.mode &&
    a.failMode === b.failMode &&
    a.bodyMaxBytes === b.bodyMaxBytes &&
    a.budgetMs === b.budgetMs &&
    a.blockResponse === b.blockResponse &&
    a.policyName === b.policyName &&
    isSameList(a.withheldHeaders, b.withheldHeaders) &&
    isSameList(a.engines, b.engines)
  );
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a === b || (a.length === b.length && a.every((item, n) => item === b[n]));
}
