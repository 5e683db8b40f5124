import { type ServiceWrite, serviceWriteSchema } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { isConnected } from '../clients/index.ts';
import { type StoredReport, type StoredResource, selectDeployedNodes } from '../services/index.ts';
import type { Reported } from './model.ts';

export interface ReportedNode extends Reported {
  readonly clientName: string;
}

/** Reads the reports of the deployed nodes of these services, by `<service id>/<client id>`, in one query. */
export async function readReported(db: Db, serviceIds: readonly string[]): Promise<ReadonlyMap<string, ReportedNode>> {
  const rows = await selectDeployedNodes(db, serviceIds)
    .innerJoin('clients', 'clients.id', 'service_targets.client_id')
    .select([
      'service_targets.service_id',
      'service_targets.client_id',
      'service_targets.run_state',
      'clients.name as client_name',
      'node_states.phase',
      'node_states.policy_digest',
      'node_states.report',
      'node_states.reported_at',
      'node_states.resources',
      'node_states.rollout_at',
    ])
    .select(isConnected().as('connected'))
    .execute();
  return new Map(
    rows.map((row) => [
      `${row.service_id}/${row.client_id}`,
      {
        clientName: row.client_name,
        connected: row.connected === true,
        runState: row.run_state,
        phase: row.phase,
        policyDigest: row.policy_digest,
        report: (row.report ?? undefined) as StoredReport | undefined,
        reportedAt: row.reported_at,
        resources: (row.resources ?? []) as StoredResource[],
        rolloutAt: row.rollout_at,
      },
    ]),
  );
}

export interface Subject {
  readonly id: string;
  readonly revision: number;
  readonly changedAt: Date;
}

/** The newest state of a policy or service; undefined if the name does not exist. */
export async function findSubject(
  db: Db,
  table: 'policies' | 'services',
  key: { readonly project: string; readonly name: string },
): Promise<Subject | undefined> {
  const row = await db
    .selectFrom(table)
    .select(['id', 'revision', 'updated_at'])
    .where('project_id', '=', key.project)
    .where('name', '=', key.name)
    .executeTakeFirst();
  return row && { id: row.id, revision: row.revision, changedAt: row.updated_at };
}

/** The document of a service before this revision; undefined if it does not exist or cannot be parsed any more. */
export async function findDocumentBefore(db: Db, { id, revision }: Subject): Promise<ServiceWrite | undefined> {
  const row = await db
    .selectFrom('service_revisions')
    .select('document')
    .where('service_id', '=', id)
    .where('revision', '<', revision)
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && serviceWriteSchema.safeParse(row.document).data;
}

/** Services whose filter runs this policy. */
export async function listServicesOfPolicy(db: Db, project: string, policy: string): Promise<string[]> {
  const rows = await db
    .selectFrom('services')
    .select('id')
    .where('project_id', '=', project)
    .where(sql<boolean>`${policy} = any(policies)`)
    .execute();
  return rows.map(({ id }) => id);
}
