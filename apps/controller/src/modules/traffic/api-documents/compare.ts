import {
  API_COVERAGE_KINDS,
  API_DIFFERENCE_KINDS,
  type ApiCoverageItem,
  type ApiCoverageKind,
} from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { PROTOCOL_BITS } from '../inventory/index.ts';
import {
  type DocumentIndex,
  judge,
  type SeenOperation,
  toItem,
  toUnusedItem,
  type Verdict,
} from './model/comparison.ts';
import { readDetails, readSeen } from './seen-store.ts';

export interface Comparison {
  readonly db: Db;
  readonly projectId: string;
  readonly indexes: readonly DocumentIndex[];
  /** Only what concerns this document; null is the one that is only checked. */
  readonly only?: string | null | undefined;
  readonly since: Date;
  /** The caller does not see everything, so a document cannot be called unused. */
  readonly isRestricted: boolean;
  /** Takes every operation with its kinds. Their order has no meaning. */
  readonly take: (item: ApiCoverageItem) => void;
}

export interface ComparisonCounts {
  readonly counts: Record<ApiCoverageKind, number>;
  readonly operation_count: number;
  readonly excluded: Record<Excluded, number>;
}

type Excluded = 'grpc' | 'tcp' | 'graphql' | 'other_methods';
type SeenRow = Parameters<typeof toSeen>[0];

const METHODS: ReadonlySet<string> = new Set(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']);
const GRPC = PROTOCOL_BITS.toBits(['grpc']);
const TCP = PROTOCOL_BITS.toBits(['tcp']);

/** Compares documents with the operations of the catalogue, some thousand at a time. */
export async function compare(comparison: Comparison): Promise<ComparisonCounts> {
  const { db, projectId, indexes, only, since } = comparison;
  const counter = new Counter(comparison.take);
  for await (const rows of readSeen(db, projectId, since)) {
    const verdicts = rows.flatMap((row) => {
      const excluded = whyExcluded(row);
      counter.see(excluded);
      return excluded === undefined ? [judge(indexes, toSeen(row))] : [];
    });
    const concerned = only === undefined ? verdicts : verdicts.filter((verdict) => concerns(verdict, only));
    const described = concerned.filter(({ state }) => state === 'documented' || state === 'overlap');
    const details = await readDetails(
      db,
      projectId,
      described.map(({ seen }) => seen.id),
    );
    for (const verdict of concerned) counter.take(toItem(verdict, details.get(verdict.seen.id)));
  }
  if (!comparison.isRestricted) {
    for (const index of indexes) {
      if (only !== undefined && index.document.id !== only) continue;
      for (const known of index.listUnused()) counter.take(toUnusedItem(index, known));
    }
  }
  return counter.result;
}

export function whyExcluded({ method, operation, protocols }: Pick<SeenRow, 'method' | 'operation' | 'protocols'>) {
  if (operation !== '') return 'graphql';
  if ((protocols & GRPC) !== 0) return 'grpc';
  if ((protocols & TCP) !== 0) return 'tcp';
  return METHODS.has(method) ? undefined : 'other_methods';
}

export function toSeen(row: {
  readonly id: string;
  readonly method: SeenOperation['method'];
  readonly host: string;
  readonly path: string;
  readonly operation: string;
  readonly protocols: number;
  readonly listeners: readonly string[];
  readonly last_seen: Date;
  readonly seen: number;
}): SeenOperation {
  const { id, method, host, path, listeners, last_seen: lastSeen, seen } = row;
  return { id, method, host, path, listeners, lastSeen, seen };
}

function concerns({ matches, scopes }: Verdict, only: string | null): boolean {
  return matches.some(({ index }) => index.document.id === only) || scopes.some(({ document }) => document.id === only);
}

class Counter {
  readonly #take: (item: ApiCoverageItem) => void;
  readonly #counts = Object.fromEntries(API_COVERAGE_KINDS.map((kind) => [kind, 0])) as Record<ApiCoverageKind, number>;
  readonly #excluded = { grpc: 0, tcp: 0, graphql: 0, other_methods: 0 };
  #operations = 0;

  constructor(take: (item: ApiCoverageItem) => void) {
    this.#take = take;
  }

  see(excluded: Excluded | undefined): void {
    if (excluded === undefined) this.#operations += 1;
    else this.#excluded[excluded] += 1;
  }

  take(item: ApiCoverageItem): void {
    for (const kind of item.kinds) this.#counts[kind] += 1;
    this.#take(item);
  }

  get result(): ComparisonCounts {
    return { counts: this.#counts, operation_count: this.#operations, excluded: this.#excluded };
  }
}

/** Keeps the first items after a position, in the order of their paths, with little memory. */
export class ItemPage {
  readonly #after: string;
  readonly #limit: number;
  readonly #kinds: ReadonlySet<ApiCoverageKind>;
  readonly #search: string;
  #kept: { readonly key: string; readonly item: ApiCoverageItem }[] = [];
  #matched = 0;

  constructor({ limit, after = '', kinds = API_DIFFERENCE_KINDS, q = '' }: ItemPageOptions) {
    this.#limit = limit;
    this.#after = after;
    this.#kinds = new Set(kinds);
    this.#search = q.toLowerCase();
  }

  readonly take = (item: ApiCoverageItem): void => {
    if (!item.kinds.some((kind) => this.#kinds.has(kind)) || !this.#finds(item)) return;
    this.#matched += 1;
    const key = keyOf(item);
    if (key <= this.#after) return;
    this.#kept.push({ key, item });
    if (this.#kept.length > 4 * (this.#limit + 1)) this.#cut();
  };

  /** `next`: the position after the last item, if there are more. */
  close(): { readonly items: ApiCoverageItem[]; readonly next: string | undefined; readonly matched: number } {
    this.#cut();
    const shown = this.#kept.slice(0, this.#limit);
    const next = this.#kept.length > this.#limit ? shown.at(-1)?.key : undefined;
    return { items: shown.map(({ item }) => item), next, matched: this.#matched };
  }

  #cut(): void {
    this.#kept = this.#kept.toSorted((a, b) => (a.key < b.key ? -1 : 1)).slice(0, this.#limit + 1);
  }

  #finds({ host, path, method }: ApiCoverageItem): boolean {
    return this.#search === '' || `${method} ${host}${path}`.toLowerCase().includes(this.#search);
  }
}

interface ItemPageOptions {
  readonly limit: number;
  readonly after?: string | undefined;
  readonly kinds?: readonly ApiCoverageKind[] | undefined;
  readonly q?: string | undefined;
}

function keyOf({ path, host, method, operation_id: id, documents }: ApiCoverageItem): string {
  return [path, host, method, id ?? documents[0]?.id ?? '', documents[0]?.path ?? ''].join('\n');
}
