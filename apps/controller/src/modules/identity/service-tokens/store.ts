import { type DiscoveryTokenView, fail } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { listSecrets } from '../../../platform/tokens/index.ts';
import type { ServiceTokensTable } from './tables.ts';

type ServiceTokenKind = ServiceTokensTable['kind'];

export interface ServiceTokenOf {
  readonly projectId: string;
  readonly kind: ServiceTokenKind;
}

/** Throws record.not_found if the project has none. */
export async function findServiceToken(
  db: Db,
  { projectId, kind }: ServiceTokenOf,
  now: Date,
): Promise<DiscoveryTokenView & { id: string }> {
  const token = await db
    .selectFrom('service_tokens')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .executeTakeFirst();
  if (!token) throw fail('record.not_found', { kind, name: 'token' });
  const secrets = await listSecrets(db, { kind, tokenIds: [token.id], now });
  return {
    id: token.id,
    project: token.project_id,
    created_at: token.created_at.toISOString(),
    created_by: token.created_by,
    secrets: secrets.map(({ view }) => view),
  };
}

/** Creates the token if it does not exist and locks it until the transaction ends, so that only one rotation runs. */
export async function lockServiceToken(
  tx: Tx,
  { projectId, kind }: ServiceTokenOf,
  by: { readonly name: string; readonly now: Date },
): Promise<string> {
  await tx
    .insertInto('service_tokens')
    .values({ id: createId(by.now.getTime()), project_id: projectId, kind, created_at: by.now, created_by: by.name })
    .onConflict((conflict) => conflict.columns(['project_id', 'kind', 'name']).doNothing())
    .execute();
  const { id } = await tx
    .selectFrom('service_tokens')
    .select('id')
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return id;
}

/** Its secrets are deleted with it. */
export async function deleteServiceToken(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('service_tokens').where('id', '=', id).execute();
}
