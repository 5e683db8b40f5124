import type { TrafficDimension, TrafficFilter, TrafficGroup } from '@flotilla/contract';
import {
  type Condition,
  type Counts,
  type Dimension,
  type EventStore,
  type Group,
  type GroupQuery,
  type Groups,
  type ProjectId,
  type Range,
  type Resolution,
  toProjectId,
} from '@flotilla/event-store';
import { readerOf } from '../../../platform/auth/index.ts';
import type { RequestContext } from '../../../platform/http/context.ts';
import { idsOf, readCurrentNames } from '../inventory/index.ts';
import { toSums, toTime } from './answers.ts';
import { COLUMN_OF, isInRollups, OPERATION_COLUMNS, toApiValue } from './dimensions.ts';
import { type AppliedFilter, readFilter } from './filter.ts';
import { joinMerged } from './joined-groups.ts';
import { coarsenToKept, type KeptTimes } from './kept.ts';
import { listSeenServices, type Names, readNames } from './names-store.ts';
import { askStore, type EventSource } from './source.ts';
import { parseWindow, refuseField, type Window } from './window.ts';

/** A condition of the event store has at most so many values. The oldest merges of many operations are left out beyond it. */
const IDS_MAX = 20_000;
/** The longest window of sums. */
export const ROLLUPS_LIMIT = { maxMs: 730 * 86_400_000, because: 'no sums are kept longer' };

/** Up to these lengths, the store reads events and sums of minutes by itself. */
const [EVENTS_MAX_MS, MINUTES_MAX_MS] = [2 * 3_600_000, 2 * 86_400_000];

export interface Asked extends Window {
  readonly filter: TrafficFilter;
}

/**
 * A question of a request about the events of its project, with everything that restricts it: every query of a route goes through it, so none can
 * leave out the project, the services that the caller may see, or a filter.
 */
export class Question {
  readonly window: Window;
  readonly keyIds: readonly string[] | null;
  readonly kept: KeptTimes;
  readonly #ctx: RequestContext;
  readonly #source: EventSource;
  readonly #applied: AppliedFilter['applied'];
  readonly #conditions: readonly Condition[];
  readonly #project: ProjectId;

  private constructor(
    ctx: RequestContext,
    source: EventSource,
    of: { window: Window; filter: AppliedFilter; seen: readonly Condition[]; completeFromMs: number },
  ) {
    this.#ctx = ctx;
    this.#source = source;
    this.window = of.window;
    this.keyIds = of.filter.keyIds;
    this.kept = { nowMs: ctx.now.getTime(), completeFromMs: of.completeFromMs };
    this.#applied = of.filter.applied;
    this.#conditions = [...of.filter.conditions, ...of.seen];
    this.#project = toProjectId(ctx.project.id);
  }

  static async open(ctx: RequestContext, source: EventSource, { filter, ...window }: Asked): Promise<Question> {
    const [applied, seen, merged, completeFromMs] = await Promise.all([
      readFilter(filter, { projectId: ctx.project.id, hashFor: source.hashFor }),
      listSeen(ctx),
      listMergedIds(ctx, filter.operation_id),
      askStore(source, (store) => store.completeFrom()),
    ]);
    const conditions = applied.conditions.map((condition) =>
      merged !== undefined && condition.column === 'operationId'
        ? ({ column: 'operationId', in: merged } as const)
        : condition,
    );
    return new Question(ctx, source, { window, filter: { ...applied, conditions }, seen, completeFromMs });
  }

  /** Whether sums of minutes, hours and days answer it, so that it may cover more time than events are kept. */
  isInRollups(columns: readonly Dimension[] = []): boolean {
    return isInRollups([...columns, ...this.#conditions.map(({ column }) => column)]);
  }

  /** Whether no event of its window is deleted. */
  get isComplete(): boolean {
    return this.window.from >= this.kept.completeFromMs;
  }

  /** Whether its filters name no other columns. */
  isFilteredBy(columns: readonly Dimension[]): boolean {
    return this.#conditions.every(({ column }) => columns.some((one) => one === column));
  }

  range(also: readonly Condition[] = []): Range {
    return { ...this.window, filter: [...this.#conditions, ...also] };
  }

  ask<T>(work: (store: EventStore, project: ProjectId) => Promise<T>): Promise<T> {
    return askStore(this.#source, (store) => work(store, this.#project));
  }

  async groups(
    query: Omit<GroupQuery, 'from' | 'to' | 'filter'> & { readonly also?: readonly Condition[] },
  ): Promise<Groups> {
    const { also = [], ...rest } = query;
    const resolution = rest.resolution ?? this.#findKept(rest, also);
    const chosen = resolution === undefined ? {} : { resolution };
    const found = await this.ask((store, project) =>
      store.groups(project, { ...this.range(also), ...rest, ...chosen }),
    );
    const isOfOperations = OPERATION_COLUMNS.every((column, at) => query.by[at] === column);
    if (!isOfOperations || query.distinct !== undefined) return found;
    const ids = found.data.map(({ values }) => values[0] ?? '');
    const names = await readCurrentNames(this.#ctx.db, this.#ctx.project.id, ids);
    return { ...found, data: joinMerged(found.data, names, query.order) };
  }

  /** The resolution of sums for a time of which the store has no finer ones; undefined lets the store choose. */
  #findKept(
    { by, distinct = [], counts = {}, facts }: Pick<GroupQuery, 'by' | 'distinct' | 'counts' | 'facts'>,
    also: readonly Condition[],
  ): Resolution | undefined {
    const conditions = [...also, ...Object.values(counts).flat()];
    const columns = [...by, ...distinct, ...conditions.map(({ column }) => column)];
    if (facts === true || !isInRollups([...columns, ...this.#conditions.map(({ column }) => column)])) return undefined;
    const { from, to } = this.window;
    const usual = to - from <= MINUTES_MAX_MS ? (to - from <= EVENTS_MAX_MS ? 'raw' : '1m') : '1h';
    const kept = coarsenToKept(this.window, usual, this.kept);
    if (kept === undefined) throw refuseField('from', 'is before the time from which requests are kept');
    return kept === usual ? undefined : kept;
  }

  /** The only group of everything. */
  async total(counts: Counts = {}, distinct: readonly Dimension[] = []): Promise<Group & { resolution: Resolution }> {
    const { data, resolution } = await this.groups({ by: [], counts, distinct });
    const [group] = data;
    if (group === undefined) throw new Error('A query without columns has one group.');
    return { ...group, resolution };
  }

  /** The largest values of a column. */
  async largest(
    by: TrafficDimension,
    options: Omit<GroupQuery, 'from' | 'to' | 'filter' | 'by'> & { readonly also?: readonly Condition[] } = {},
  ): Promise<Largest> {
    const columns = by === 'operation' ? OPERATION_COLUMNS : [COLUMN_OF[by]];
    const { data, ...read } = await this.groups({ ...options, by: columns });
    return { by, groups: data, ...read };
  }

  /** One query of names for all of these lists. */
  async label(lists: readonly Largest[]): Promise<TrafficGroup[][]> {
    const valuesOf = (by: TrafficDimension) =>
      lists.flatMap((list) => (list.by === by ? list.groups.map(({ values }) => values[0] ?? '') : []));
    const names = await this.names({ services: valuesOf('service'), clients: valuesOf('client') });
    return lists.map(({ by, groups }) =>
      groups.map((group) => {
        const value = toApiValue(by, group.values[0] ?? '');
        return { value, label: labelOf(by, group.values, names), ...toSums(group) };
      }),
    );
  }

  names(of: Parameters<typeof readNames>[2]): Promise<Names> {
    return readNames(this.#ctx.db, this.#ctx.project.id, of);
  }

  /** The part of every answer that says what was read. */
  describe({
    resolution,
    window = this.window,
    events,
    requests,
  }: {
    readonly resolution: Resolution;
    readonly window?: Window;
    readonly events: number;
    readonly requests: number;
  }) {
    return {
      from: toTime(window.from),
      to: toTime(window.to),
      resolution,
      complete_from: resolution === 'raw' && !this.isComplete ? toTime(this.kept.completeFromMs) : null,
      sampled: requests > events,
      applied: { ...this.#applied },
      key_ids: this.keyIds === null ? null : [...this.keyIds],
    };
  }
}

export interface Largest {
  readonly by: TrafficDimension;
  readonly groups: readonly Group[];
  readonly hasMore: boolean;
  readonly isApproximate: boolean;
  readonly resolution: Resolution;
  readonly window: Window;
}

export function labelOf(by: TrafficDimension, values: readonly string[], names: Names): string | null {
  const [value = '', method = '', host = '', path = '', operation = ''] = values;
  if (by === 'operation') return `${method} ${host}${path}${operation === '' ? '' : ` ${operation}`}`;
  if ((by === 'service' || by === 'client') && value.includes('-')) return names.get(value) ?? null;
  return toApiValue(by, value);
}

/** Events keep the operation of their time: those of an operation include those of operations that were merged into it. */
async function listMergedIds(ctx: RequestContext, ids: readonly string[] | undefined): Promise<string[] | undefined> {
  if (ids === undefined) return undefined;
  const all = await Promise.all(ids.map((id) => idsOf(ctx.db, ctx.project.id, id)));
  return [...new Set(all.flat())].slice(0, IDS_MAX);
}

/** A member of a restricted project sees the events of the services that it may see. */
async function listSeen(ctx: RequestContext): Promise<Condition[]> {
  if (readerOf(ctx) === undefined) return [];
  return [{ column: 'service', in: await listSeenServices(ctx.db, ctx.project.id) }];
}

type WindowQuery = Parameters<typeof parseWindow>[0];

/** Splits a query into its window and its filters. */
export function toAsked(
  { from, to, ...filter }: TrafficFilter & WindowQuery,
  now: Date,
  limit?: Parameters<typeof parseWindow>[2],
): Asked {
  return { ...parseWindow({ from, to }, now, limit), filter };
}

/** Opens a question that sums of days can answer if neither its filters nor `columns` need single events. */
export async function openLong(
  ctx: RequestContext,
  source: EventSource,
  { query, columns = [] }: { query: TrafficFilter & WindowQuery; columns?: readonly Dimension[] },
): Promise<Question> {
  const asked = toAsked(query, ctx.now, ROLLUPS_LIMIT);
  const question = await Question.open(ctx, source, asked);
  if (!question.isInRollups(columns)) parseWindow(query, ctx.now);
  return question;
}
