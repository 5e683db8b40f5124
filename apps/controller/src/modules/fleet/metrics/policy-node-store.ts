import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { type RowOf, Rows, type SearchQuery } from '../../../platform/database/records.ts';
import type { StoredPolicyFile } from '../../configuration/public.ts';
import { isConnected } from '../clients/index.ts';
import { selectDeployedNodes } from '../services/index.ts';

export interface StoredText {
  readonly name: string;
  readonly revision: number;
  /** Digest of the policy with its files alone. */
  readonly digest: string;
  readonly text: string;
  readonly files: readonly StoredPolicyFile[];
}

interface NodeQuery extends SearchQuery {
  readonly client_id?: readonly string[] | undefined;
  readonly service_id?: readonly string[] | undefined;
}

const NODES = new Rows<NodeRow, NodeRow, NodeQuery>({
  sortable: { service: 'services.name', client: 'clients.name' },
  defaultSort: 'service,client',
  id: sql`service_targets.service_id::text || service_targets.client_id::text`,
  filters: { client_id: 'service_targets.client_id', service_id: 'service_targets.service_id' },
  toView: (row) => row,
});

/** Number of nodes of the services per bundle digest. */
export function countNodeStates(db: Db, serviceIds: readonly string[]) {
  return selectDeployedNodes(db, serviceIds)
    .select(['service_targets.service_id', 'node_states.policy_digest'])
    .select(sql<boolean>`node_states.reported_at is not null`.as('is_reported'))
    .select(({ fn }) => fn.countAll<number>().as('nodes'))
    .groupBy(['service_targets.service_id', 'node_states.policy_digest', 'is_reported'])
    .execute();
}

/** `serviceIds` are all services that the caller lists; `query` narrows them. */
export const listNodes = (db: Db, serviceIds: readonly string[], query: NodeQuery) =>
  NODES.list(selectNodes(db, serviceIds), query);

function selectNodes(db: Db, serviceIds: readonly string[]) {
  return selectDeployedNodes(db, serviceIds)
    .innerJoin('services', 'services.id', 'service_targets.service_id')
    .innerJoin('clients', 'clients.id', 'service_targets.client_id')
    .select([
      'service_targets.service_id',
      'service_targets.client_id',
      'service_targets.run_state',
      'services.name as service_name',
      'clients.name as client_name',
      'node_states.policy_digest',
      'node_states.report',
      'node_states.reported_at',
      isConnected().$castTo<boolean>().as('connected'),
    ]);
}

type NodeRow = RowOf<typeof selectNodes>;

/** Revisions before the newest one, newest first, as many as fit into `maxBytes`. */
export async function readEarlier(
  db: Db,
  policy: { readonly id: string; readonly name: string; readonly revision: number },
  limits: { readonly count: number; readonly maxBytes: number },
): Promise<StoredText[]> {
  // Reads the sizes first, so that nothing beyond the limit is fetched.
  const { rows } = await sql<Omit<StoredText, 'name'>>`
    with sized as (
      select revision, sum(octet_length(text) + octet_length(files::text)) over (order by revision desc) as bytes
      from (select revision, text, files from policy_revisions
        where policy_id = ${policy.id} and revision < ${policy.revision}
        order by revision desc limit ${limits.count}) newest
    )
    select revision, digest, text, files from policy_revisions
    where policy_id = ${policy.id} and revision in (select revision from sized where bytes <= ${limits.maxBytes})
    order by revision desc`.execute(db);
  return rows.map((row) => ({ ...row, name: policy.name }));
}
