import type { ShieldEvent, ShieldEventFilter } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { containing, type ListQuery } from '../../../platform/database/paging.ts';
import { type RowOf, Rows } from '../../../platform/database/records.ts';

const EVENTS = new Rows<EventRow, ShieldEvent>({
  sortable: { time: 'shield_events.time' },
  defaultSort: '-time',
  id: 'shield_events.id',
  toView: ({ project_id: _, search: _text, time, source_ip, ...row }) => ({
    ...row,
    time: time.toISOString(),
    source_ip: source_ip ?? '',
  }),
});

const ANY_OF = [
  'service_id',
  'client_id',
  'policy',
  'route',
  'engine',
  'reason',
  'severity',
  'verdict',
  'method',
] as const;
const EQUAL_TO = ['host', 'subject', 'request_id'] as const;

/** The filters of a project's events as one condition. */
export function matchesFilter(projectId: string, filter: ShieldEventFilter): RawBuilder<SqlBool> {
  const parts = [sql<SqlBool>`shield_events.project_id = ${projectId}`];
  for (const name of ANY_OF) {
    const given = filter[name];
    if (given === undefined) continue;
    const type = sql.raw(name === 'service_id' || name === 'client_id' ? 'uuid[]' : 'text[]');
    parts.push(sql<SqlBool>`${sql.ref(`shield_events.${name}`)} = any(${[...given]}::${type})`);
  }
  for (const name of EQUAL_TO) {
    if (filter[name] !== undefined) parts.push(sql<SqlBool>`${sql.ref(`shield_events.${name}`)} = ${filter[name]}`);
  }
  if (filter.path_prefix !== undefined)
    parts.push(sql<SqlBool>`starts_with(shield_events.path, ${filter.path_prefix})`);
  if (filter.source_ip !== undefined) parts.push(sql<SqlBool>`shield_events.source_ip <<= ${filter.source_ip}::inet`);
  if (filter.from !== undefined) parts.push(sql<SqlBool>`shield_events.time >= ${filter.from}`);
  if (filter.to !== undefined) parts.push(sql<SqlBool>`shield_events.time < ${filter.to}`);
  if (filter.q !== undefined) parts.push(sql<SqlBool>`shield_events.search like lower(${containing(filter.q)})`);
  return sql<SqlBool>`(${sql.join(parts, sql` and `)})`;
}

function selectEvents(db: Db) {
  return db
    .selectFrom('shield_events')
    .leftJoin('services', 'services.id', 'shield_events.service_id')
    .leftJoin('clients', 'clients.id', 'shield_events.client_id')
    .selectAll('shield_events')
    .select(['services.name as service_name', 'clients.name as client_name'])
    .select(sql<string | null>`host(shield_events.source_ip)`.as('source_ip'));
}

type EventRow = RowOf<typeof selectEvents>;

export const listEvents = (
  db: Db,
  projectId: string,
  { filter, page }: { filter: ShieldEventFilter; page: ListQuery },
) => EVENTS.list(selectEvents(db).where(matchesFilter(projectId, filter)), page);
