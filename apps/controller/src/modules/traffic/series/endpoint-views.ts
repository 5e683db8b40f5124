import type { EndpointProblemRecord } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { Rows, type SearchQuery } from '../../../platform/database/records.ts';
import { matches, type TrafficFilter } from './node-blocks-store.ts';

const PROBLEMS = new Rows<ProblemRow, EndpointProblemRecord, ProblemQuery>({
  sortable: {
    service: 'problems.service_name',
    client: 'problems.client_name',
    // Names may be longer than a cursor.
    cluster: sql`left(problems.cluster, 128)`,
    address: 'problems.address',
    since: 'problems.since',
  },
  defaultSort: 'service,cluster,address',
  id: sql`md5(problems.service_id::text || problems.client_id::text || problems.cluster || ' ' || problems.address)`,
  searched: (text) =>
    sql`position(lower(${text}) in lower(problems.cluster || ' ' || problems.address || ' ' || problems.service_name)) > 0`,
  filters: { cluster: 'problems.cluster' },
  toView: ({ since, reported_at, ...row }) => ({
    ...row,
    since: since.toISOString(),
    reported_at: reported_at.toISOString(),
  }),
});

interface ProblemRow {
  readonly service_id: string;
  readonly service_name: string;
  readonly client_id: string;
  readonly client_name: string;
  readonly cluster: string;
  readonly address: string;
  readonly reasons: string[];
  readonly since: Date;
  readonly reported_at: Date;
}

export interface ProblemQuery extends SearchQuery {
  readonly service_id?: readonly string[] | undefined;
  readonly client_id?: readonly string[] | undefined;
  readonly cluster?: readonly string[] | undefined;
}

export async function listEndpointProblems(db: Db, filter: TrafficFilter, query: ProblemQuery) {
  const page = await PROBLEMS.list(selectProblems(db, filter, query), query);
  return { ...page, omitted: await countOmitted(db, filter, query) };
}

function selectProblems(db: Db, filter: TrafficFilter, query: ProblemQuery) {
  const rows = sql<ProblemRow>`(
    select n.service_id, services.name as service_name, n.client_id, clients.name as client_name, p.cluster, p.address,
      p.reasons, p.since, n.reported_at
    from traffic_nodes n join services on services.id = n.service_id join clients on clients.id = n.client_id
      join service_targets t on t.service_id = n.service_id and t.client_id = n.client_id and t.deployed
      cross join lateral jsonb_to_recordset(n.problems)
        as p(cluster text, address text, reasons text[], since timestamptz)
    where ${matches(filter, 'n')} ${among(query)})`.as('problems');
  return db.selectFrom(rows).selectAll();
}

function among({ service_id, client_id }: Pick<ProblemQuery, 'service_id' | 'client_id'>) {
  return sql`${service_id === undefined ? sql`` : sql`and n.service_id = any(${[...service_id]}::uuid[])`}
    ${client_id === undefined ? sql`` : sql`and n.client_id = any(${[...client_id]}::uuid[])`}`;
}

async function countOmitted(db: Db, filter: TrafficFilter, query: ProblemQuery): Promise<number> {
  const { rows } = await sql<{ omitted: number }>`
    select coalesce(sum(n.problems_omitted), 0)::float8 as omitted from traffic_nodes n
    where ${matches(filter, 'n')} ${among(query)}`.execute(db);
  return rows[0]?.omitted ?? 0;
}
