import type { Db, EnrolmentTokensTable, Tx } from '@flotilla/db';
import type { Insertable } from 'kysely';
import { matchesText } from '../../http/paging.ts';

/** How long used and expired tokens stay in the list. */
const KEEP_MS = 30 * 86_400_000;

export async function insertToken(tx: Tx, row: Insertable<EnrolmentTokensTable> & { created_at: Date }): Promise<void> {
  await tx
    .deleteFrom('enrolment_tokens')
    .where('project_id', '=', row.project_id)
    .where('expires_at', '<', new Date(row.created_at.getTime() - KEEP_MS))
    .execute();
  await tx.insertInto('enrolment_tokens').values(row).execute();
}

export function selectTokens(
  db: Db,
  filter: { projectId: string; status?: 'open' | 'used' | 'expired' | undefined; q?: string | undefined; now: Date },
) {
  const { projectId, status, q, now } = filter;
  let query = db
    .selectFrom('enrolment_tokens')
    .select(['id', 'project_id', 'note', 'created_by', 'created_at', 'expires_at', 'used_at', 'used_by_client'])
    .where('project_id', '=', projectId);
  if (status === 'used') query = query.where('used_at', 'is not', null);
  if (status === 'open') query = query.where('used_at', 'is', null).where('expires_at', '>', now);
  if (status === 'expired') query = query.where('used_at', 'is', null).where('expires_at', '<=', now);
  if (q !== undefined) query = query.where(matchesText(['note', 'created_by'], q));
  return query;
}

export async function deleteToken(tx: Tx, projectId: string, id: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('enrolment_tokens')
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}
