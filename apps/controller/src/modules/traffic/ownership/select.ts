import type { OwnedOperation } from '@flotilla/contract';

/** Values of one member are alternatives; an empty text means none. */
export interface OwnedFilter {
  readonly team?: readonly string[] | undefined;
  readonly owner?: readonly string[] | undefined;
  readonly criticality?: readonly string[] | undefined;
  readonly data_class?: readonly string[] | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly unauthenticated_write?: boolean | undefined;
  readonly q?: string | undefined;
}

export function compileFilter(filter: OwnedFilter): (operation: OwnedOperation) => boolean {
  const search = filter.q?.toLowerCase() ?? '';
  return (operation) =>
    (filter.team?.includes(operation.team) ?? true) &&
    (filter.owner?.includes(operation.owner) ?? true) &&
    (filter.criticality?.includes(operation.criticality ?? '') ?? true) &&
    hasAny(filter.data_class, operation.data_classes) &&
    hasAny(filter.tag, operation.tags) &&
    (filter.unauthenticated_write ?? operation.unauthenticated_write) === operation.unauthenticated_write &&
    `${operation.method} ${operation.host}${operation.path}`.toLowerCase().includes(search);
}

function hasAny(wanted: readonly string[] | undefined, values: readonly string[]): boolean {
  return wanted === undefined || values.some((value) => wanted.includes(value));
}

/** Keeps the first operations after a position, the highest active threat score first, with little memory. */
export class OwnedPage {
  readonly #limit: number;
  readonly #after: string;
  #kept: { readonly key: string; readonly operation: OwnedOperation }[] = [];

  constructor(limit: number, after = '') {
    this.#limit = limit;
    this.#after = after;
  }

  take(operation: OwnedOperation): void {
    const key = keyOf(operation);
    if (key <= this.#after) return;
    this.#kept.push({ key, operation });
    if (this.#kept.length > 4 * (this.#limit + 1)) this.#cut();
  }

  close(): { readonly items: OwnedOperation[]; readonly next: string | undefined } {
    this.#cut();
    const shown = this.#kept.slice(0, this.#limit);
    const next = this.#kept.length > this.#limit ? shown.at(-1)?.key : undefined;
    return { items: shown.map(({ operation }) => operation), next };
  }

  #cut(): void {
    this.#kept = this.#kept.toSorted((a, b) => (a.key < b.key ? -1 : 1)).slice(0, this.#limit + 1);
  }
}

const SCORE_MAX = 255;

function keyOf({ active_risk_score: score, path, host, method, operation_id: id }: OwnedOperation): string {
  const rank = String(Math.max(0, SCORE_MAX - score)).padStart(3, '0');
  return [rank, path, host, method, id].join('\n');
}
