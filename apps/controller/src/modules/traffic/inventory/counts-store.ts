import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { matchOperations, type OperationFilter } from './filter-store.ts';

export interface CountedQuery {
  readonly filter: OperationFilter;
  /** Names only columns of the counts: `confirmed`, `is_other`, `terms`, `listeners` and scores. */
  readonly also?: RawBuilder<SqlBool>;
  readonly now: Date;
}

/** Filters whose values are terms: an index finds their operations without reading others. */
const TERMS = [
  'method',
  'protocol',
  'risk_flag',
  'pii_category',
  'endpoint_category',
  'auth_scheme',
  'auth_posture',
] as const satisfies (keyof OperationFilter)[];

const COUNTED: ReadonlySet<string> = new Set<keyof OperationFilter>([
  ...TERMS,
  'listener_name',
  'min_risk_score',
  'max_risk_score',
  'min_active_risk_score',
]);

/** Operations with the same terms and scores. */
export interface CountedGroup {
  readonly terms: readonly number[];
  readonly risk: number;
  readonly posture_risk: number;
  readonly active_risk: number;
  readonly active_posture_risk: number;
  readonly operations: number;
}

/** Undefined: the counts do not answer this filter, or not to this reader. */
export async function readCounts(db: Db, projectId: string, query: CountedQuery): Promise<CountedGroup[] | undefined> {
  if (!isCounted(query.filter) || !(await seesCounts(db))) return undefined;
  return selectCounts(db, projectId, query)
    .select(['o.terms', 'o.risk', 'o.posture_risk', 'o.active_risk', 'o.active_posture_risk', 'o.operations'])
    .execute();
}

/** The number of operations. Undefined: the counts do not answer this filter, or not to this reader. */
export async function sumCounts(db: Db, projectId: string, query: CountedQuery): Promise<number | undefined> {
  if (!isCounted(query.filter) || !(await seesCounts(db))) return undefined;
  return sum(db, projectId, query);
}

/**
 * The most operations that match, from those parts of the filter that are counted; of a filter with terms, for which an index finds them. Undefined: unknown.
 */
export async function boundMatches(db: Db, projectId: string, query: CountedQuery): Promise<number | undefined> {
  const given = Object.entries(query.filter).filter((entry) => isCountedEntry(entry, query.filter));
  const isKnown = hasTerms(query.filter) || query.filter.listener_name !== undefined;
  if (!isKnown || !(await seesCounts(db))) return undefined;
  return sum(db, projectId, { ...query, filter: Object.fromEntries(given) });
}

export function hasTerms(filter: OperationFilter): boolean {
  return TERMS.some((name) => filter[name] !== undefined);
}

async function sum(db: Db, projectId: string, query: CountedQuery): Promise<number> {
  const total = sql<number>`coalesce(sum(o.operations), 0)::bigint`.as('total');
  return (await selectCounts(db, projectId, query).select(total).executeTakeFirstOrThrow()).total;
}

function selectCounts(db: Db, projectId: string, { filter, also, now }: CountedQuery) {
  const found = db
    .selectFrom('inventory_counts as o')
    .where('o.project_id', '=', projectId)
    .where(matchOperations(filter, now));
  return also ? found.where(also) : found;
}

function isCounted(filter: OperationFilter): boolean {
  return Object.entries(filter).every(
    (entry) => entry[1] === undefined || entry[1] === '' || isCountedEntry(entry, filter),
  );
}

function isCountedEntry([name, value]: [string, unknown], { risk_flag, pii_category }: OperationFilter): boolean {
  if (value === undefined || value === '') return false;
  // With a flag or category, `active: true` chooses between two kinds of terms.
  if (name === 'active') return value === true && (risk_flag !== undefined || pii_category !== undefined);
  return COUNTED.has(name);
}

/** Members of restricted projects do not see the counts. */
async function seesCounts(db: Db): Promise<boolean> {
  const { rows } = await sql<{ all: boolean }>`select scope_reader() is null as all`.execute(db);
  return rows[0]?.all ?? false;
}
