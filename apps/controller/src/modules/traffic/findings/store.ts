import type { FindingDetail, FindingSummary, FindingView } from '@flotilla/contract';
import { FINDING_OPEN_STATES, FINDING_SEVERITIES, FINDING_STATES } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { RISK_FLAGS, RISK_TEXTS } from '@flotilla/inventory';
import { type SqlBool, sql } from 'kysely';
import { containing } from '../../../platform/database/paging.ts';
import { Records, type RowOf, type SearchQuery } from '../../../platform/database/records.ts';
import { toStanding } from './advance-store.ts';
import { toEvidence } from './model/evidence.ts';
import { severityOf } from './model/rules.ts';
import type { Observed } from './model/sighting.ts';
import { readObserved } from './pass-store.ts';

const WEEK_MS = 7 * 86_400_000;
const MINUTE_MS = 60_000;
/** The last character of Unicode: a text with a prefix sorts before the prefix with it. */
const LAST = '\u{10FFFF}';

type Names = readonly string[] | undefined;

export interface FindingFilter {
  readonly state?: Names;
  readonly severity?: Names;
  readonly risk_flag?: Names;
  readonly owner_id?: Names;
  readonly unassigned?: boolean | undefined;
  readonly operation_id?: Names;
  readonly service_id?: Names;
  readonly host?: string | undefined;
  readonly q?: string | undefined;
}

export interface FindingQuery extends FindingFilter, Omit<SearchQuery, 'q'> {}

const TITLES = JSON.stringify(Object.fromEntries(Object.entries(RISK_TEXTS).map(([flag, { title }]) => [flag, title])));

const FINDINGS = new Records<FindingRow, FindingRow, FindingQuery>({
  kind: 'finding',
  table: 'f',
  sortable: {
    severity: 'f.rank',
    state_since: 'f.state_since',
    last_seen: 'f.last_seen',
    first_seen: 'f.first_seen',
    sightings: 'f.sightings',
    host: 'f.host',
  },
  defaultSort: 'severity,state_since',
  searched: (text) => {
    const pattern = containing(text);
    return sql<SqlBool>`(f.host || f.path || ' ' || f.operation ilike ${pattern} or f.flag ilike ${pattern}
      or ${TITLES}::jsonb ->> f.flag ilike ${pattern})`;
  },
  filters: {
    state: 'f.state',
    severity: (names) => sql<SqlBool>`f.rank = any(${toRanks(names)}::int[])`,
    risk_flag: 'f.flag',
    owner_id: (ids) => sql<SqlBool>`f.owner_id = any(${[...ids]}::uuid[])`,
    unassigned: sql`(f.owner_id is null)`,
    operation_id: 'f.operation_id',
    service_id: (ids) => sql<SqlBool>`f.services && ${[...ids]}::uuid[]`,
    host: (prefix) => sql<SqlBool>`(f.host >= ${prefix} and f.host < ${prefix + LAST})`,
  },
  toView: (row) => row,
});

const toRanks = (names: readonly string[]) =>
  names.map((name) => (FINDING_SEVERITIES as readonly string[]).indexOf(name));

function selectFindings(db: Db, projectId: string) {
  return db
    .selectFrom('inventory_findings as f')
    .selectAll('f')
    .select(
      sql<string | null>`(select username from users join memberships on memberships.user_id = users.id
        and memberships.project_id = f.project_id where users.id = f.owner_id)`.as('owner_name'),
    )
    .where('f.project_id', '=', projectId);
}

export type FindingRow = RowOf<typeof selectFindings>;

export async function listFindings(db: Db, projectId: string, query: FindingQuery) {
  const { items, ...page } = await FINDINGS.list(selectFindings(db, projectId), query);
  const observed = await readObserved(
    db,
    projectId,
    items.map((row) => row.operation_id),
  );
  return { ...page, items: items.map((row) => toFindingView(row, observed.get(row.operation_id))) };
}

/** Throws record.not_found, also for a finding of another project and for one of an operation that the caller may not see. */
export const findRow = (db: Db, projectId: string, id: string) => FINDINGS.find(selectFindings(db, projectId), id);

/** Like `findRow`, with a lock until the transaction ends. */
export const lockRow = (tx: Tx, projectId: string, id: string) => FINDINGS.lock(selectFindings(tx, projectId), id);

export async function readFinding(db: Db, projectId: string, id: string): Promise<FindingDetail> {
  const row = await findRow(db, projectId, id);
  const observed = await readObserved(db, projectId, [row.operation_id]);
  return toDetail(row, observed.get(row.operation_id));
}

/** Ids of the findings that the filter selects and the reader may see, at most `max`, and the number of all. */
export async function selectIds(
  db: Db,
  projectId: string,
  { filter, max }: { readonly filter: FindingFilter; readonly max: number },
) {
  const found = FINDINGS.narrow(selectFindings(db, projectId), filter);
  const rows = await found.clearSelect().select('f.id').orderBy('f.id').limit(max).execute();
  if (rows.length < max) return { ids: rows.map(({ id }) => id), matched: rows.length };
  const count = found.clearSelect().select(sql<number>`count(*)::int`.as('total'));
  const { total } = await count.executeTakeFirstOrThrow();
  return { ids: rows.map(({ id }) => id), matched: total };
}

/** Those ids that name findings that the reader may see. */
export async function selectKnownIds(db: Db, projectId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('inventory_findings')
    .select('id')
    .where('project_id', '=', projectId)
    .where('id', 'in', [...ids])
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

export async function countFindings(db: Db, projectId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from inventory_findings where project_id = ${projectId}`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function summarizeFindings(db: Db, projectId: string, max: number): Promise<FindingSummary> {
  const { rows } = await sql<{ state: FindingView['state']; rank: number; count: number; unassigned: number }>`
    select state, rank, count(*)::int as count, count(*) filter (where owner_id is null)::int as unassigned
    from inventory_findings where project_id = ${projectId} group by state, rank`.execute(db);
  const { rows: passes } = await sql<{ compared_at: Date | null }>`
    select compared_at from inventory_finding_passes where project_id = ${projectId}`.execute(db);
  const sum = (matches: (row: (typeof rows)[number]) => boolean, of: 'count' | 'unassigned' = 'count') =>
    rows.filter(matches).reduce((total, row) => total + row[of], 0);
  const isOpen = ({ state }: { readonly state: FindingView['state'] }) =>
    (FINDING_OPEN_STATES as readonly string[]).includes(state);
  const isWaiting = ({ state }: { readonly state: FindingView['state'] }) => state === 'new' || state === 'came_back';
  return {
    open: sum(isOpen),
    states: Object.fromEntries(
      FINDING_STATES.map((state) => [state, sum((row) => row.state === state)]),
    ) as FindingSummary['states'],
    severities: Object.fromEntries(
      FINDING_SEVERITIES.map((severity, rank) => [severity, sum((row) => isWaiting(row) && row.rank === rank)]),
    ) as FindingSummary['severities'],
    unassigned: sum(isOpen, 'unassigned'),
    saturated: sum(() => true) >= max,
    compared_at: passes[0]?.compared_at?.toISOString() ?? null,
  };
}

function toFindingView(row: FindingRow, observed: Observed | undefined): FindingView {
  return {
    id: row.id,
    project: row.project_id,
    operation: {
      id: row.operation_id,
      method: row.method,
      host: row.host,
      normalized_path: row.path,
      operation: row.operation,
    },
    flag: row.flag,
    title: RISK_TEXTS[row.flag].title,
    severity: severityOf(row.rank),
    state: row.state,
    state_since: row.state_since.toISOString(),
    state_by: row.state_by,
    reason: row.reason,
    accepted_until: row.accepted_until?.toISOString() ?? null,
    owner: row.owner_id !== null && row.owner_name !== null ? { id: row.owner_id, name: row.owner_name } : null,
    first_seen: row.first_seen.toISOString(),
    last_seen: lastSeenOf(row, observed).toISOString(),
    sightings: row.sightings,
    evidence: observed === undefined ? null : toEvidence(toStanding(row), observed),
    revision: row.revision,
  };
}

/** The catalogue knows the last sighting before the pass has written it. */
function lastSeenOf({ flag, last_seen: written }: FindingRow, observed: Observed | undefined): Date {
  return new Date(Math.max(written.getTime(), observed?.flags[flag] ?? 0));
}

function toDetail(row: FindingRow, observed: Observed | undefined): FindingDetail {
  const { axis, remedy, owasp, isDerived } = RISK_FLAGS[row.flag];
  const { what, why, detected, steps } = RISK_TEXTS[row.flag];
  const toMs = lastSeenOf(row, observed).getTime() + MINUTE_MS;
  return {
    ...toFindingView(row, observed),
    axis,
    remedy,
    owasp,
    texts: { what, why, detected, steps: [...steps] },
    events: {
      operation_id: [row.operation_id],
      risk_flag: isDerived ? null : row.flag,
      from: new Date(Math.max(toMs - WEEK_MS, Math.min(row.first_seen.getTime(), toMs - MINUTE_MS))).toISOString(),
      to: new Date(toMs).toISOString(),
    },
  };
}
