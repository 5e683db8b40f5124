import { type InventoryFilter, RISK_ACTIVE_DAYS } from '@flotilla/contract';
import { activeSinceMs } from '@flotilla/inventory';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { containing } from '../../../platform/database/paging.ts';
import { type BitSet, CATEGORY_BITS, FLAG_BITS, PII_BITS, PROTOCOL_BITS, SCHEME_BITS } from './model/bits.ts';
import { type BitColumn, bitTerms, methodTerms, postureTerms } from './model/terms.ts';

/** The part of the filter that the catalogue itself answers, and the operations that had matching traffic. */
export interface OperationFilter
  extends Omit<InventoryFilter, 'country' | 'asn' | 'source_ip' | 'user_agent' | 'traffic_from' | 'traffic_to'> {
  readonly ids?: readonly string[] | undefined;
}

/** Conditions that a filter of groups applies to the sums of the group. */
const OF_GROUPS = ['min_seen', 'min_risk_score', 'max_risk_score', 'min_active_risk_score'] as const;
type GroupFilter = Pick<OperationFilter, (typeof OF_GROUPS)[number]>;

type Conditions = {
  readonly [Name in keyof OperationFilter]?: (value: NonNullable<OperationFilter[Name]>) => RawBuilder<SqlBool>;
};

const SLOT_MS = 600_000;

/** The last character of Unicode: a text with a prefix sorts before the prefix with it. */
const LAST = '\u{10FFFF}';

/** Anchored and case-sensitive. A comparison instead of a pattern: row-level security lets it use an index, and nothing in the text is a wildcard. */
function beginsWith(column: RawBuilder<unknown>, prefix: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${column} >= ${prefix} and ${column} < ${prefix + LAST})`;
}

function hasAny(column: BitColumn, set: BitSet<string>) {
  return (names: readonly string[]) => hasTerm(bitTerms(column, set.toBits(names)));
}

/** By the index of terms, which answers several of these filters at once. */
export function hasTerm(terms: readonly number[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`o.terms && ${[...terms]}::int[]`;
}

/** The value of `seen_slot` at a time. */
function slotOf(time: Date | string): number {
  return Math.floor(new Date(time).getTime() / SLOT_MS);
}

export function seenSince(time: Date | string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(o.seen_slot >= ${slotOf(time)} and o.last_seen >= ${time})`;
}

export function seenBefore(time: Date | string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(o.seen_slot <= ${slotOf(time)} and o.last_seen < ${time})`;
}

/** At a time or before it. `time` is a text of PostgreSQL, which has microseconds. */
export function seenUntil(time: string): RawBuilder<SqlBool> {
  const slot = sql`floor(extract(epoch from ${time}::timestamptz) / ${sql.lit(SLOT_MS / 1000)})::int`;
  return sql<SqlBool>`(o.seen_slot <= ${slot} and o.last_seen <= ${time}::timestamptz)`;
}

/** The class is computed as that of the column: the logarithm of another program could differ in its last digit. */
export function seenAtLeast(min: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`(o.seen_class >= floor(ln(${min}::float8 + 1) * 8)::smallint and o.seen >= ${min})`;
}

function conditionsOf({ active }: OperationFilter, now: Date): Conditions {
  const activeSince = new Date(activeSinceMs(now.getTime(), RISK_ACTIVE_DAYS));
  return {
    ids: (ids) => sql`o.id = any(${[...ids]}::text[])`,
    method: (methods) => hasTerm(methodTerms(methods)),
    protocol: hasAny('protocols', PROTOCOL_BITS),
    risk_flag: hasAny(active ? 'active_flags' : 'flags', FLAG_BITS),
    pii_category: hasAny(active ? 'active_pii' : 'pii', PII_BITS),
    endpoint_category: hasAny('categories', CATEGORY_BITS),
    auth_scheme: hasAny('schemes', SCHEME_BITS),
    auth_posture: (postures) => hasTerm(postureTerms(postures)),
    host: (prefix) => beginsWith(sql`o.host`, prefix),
    normalized_path: (prefix) => beginsWith(sql`o.path`, prefix),
    listener_name: (prefix) =>
      sql`exists (select 1 from unnest(o.listeners) l where ${beginsWith(sql`l collate "C"`, prefix)})`,
    service_id: (ids) => sql`o.services && ${[...ids]}::uuid[]`,
    client_id: (ids) => sql`o.clients && ${[...ids]}::uuid[]`,
    min_seen: seenAtLeast,
    min_risk_score: (min) => sql`o.risk >= ${min}`,
    max_risk_score: (max) => sql`o.risk <= ${max}`,
    min_active_risk_score: (min) => sql`o.active_risk >= ${min}`,
    last_seen_from: seenSince,
    last_seen_to: seenBefore,
    first_seen_from: (from) => sql`o.first_seen >= ${from}`,
    first_seen_to: (to) => sql`o.first_seen < ${to}`,
    active: (wanted) => (wanted ? seenSince(activeSince) : seenBefore(activeSince)),
    q: (text) => sql`o.search like ${containing(text.toLowerCase())}`,
  };
}

/** Conditions over `inventory_operations o`. */
export function matchOperations(filter: OperationFilter, now: Date): RawBuilder<SqlBool> {
  const conditions = conditionsOf(filter, now);
  const isAboutRisk = filter.risk_flag !== undefined || filter.pii_category !== undefined;
  const parts = Object.entries(filter).flatMap(([name, value]) => {
    if (value === undefined || value === '') return [];
    if (name === 'active' && value === true && isAboutRisk) return [];
    const condition = conditions[name as keyof OperationFilter] as
      | ((value: unknown) => RawBuilder<SqlBool>)
      | undefined;
    return condition ? [condition(value)] : [];
  });
  return parts.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`(${sql.join(parts, sql` and `)})`;
}

/** Divides a filter into the conditions of operations and those of their groups. */
export function splitGroupFilter(filter: OperationFilter): { rows: OperationFilter; groups: RawBuilder<SqlBool> } {
  const { min_seen, min_risk_score, max_risk_score, min_active_risk_score, ...rows } = filter;
  const given: GroupFilter = { min_seen, min_risk_score, max_risk_score, min_active_risk_score };
  const conditions: Record<keyof GroupFilter, (value: number) => RawBuilder<SqlBool>> = {
    min_seen: (min) => sql`sum(o.seen) >= ${min}`,
    min_risk_score: (min) => sql`max(o.risk) >= ${min}`,
    max_risk_score: (max) => sql`max(o.risk) <= ${max}`,
    min_active_risk_score: (min) => sql`max(o.active_risk) >= ${min}`,
  };
  const parts = OF_GROUPS.flatMap((name) => {
    const value = given[name];
    return value === undefined ? [] : [conditions[name](value)];
  });
  return { rows, groups: parts.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`${sql.join(parts, sql` and `)}` };
}
