import type { Db, EnrolmentTokensTable, Tx } from '@flotilla/db';
import type { Insertable } from 'kysely';
import { matchesText } from '../../http/paging.ts';
import { issueSecret } from '../tokens/index.ts';

/** How long used and expired tokens stay in the list. */
const KEEP_MS = 30 * 86_400_000;

export async function insertToken(
  tx: Tx,
  row: Insertable<EnrolmentTokensTable> & { created_at: Date },
  { secret, prefix }: { secret: string; prefix: string },
): Promise<void> {
  await tx
    .deleteFrom('enrolment_tokens')
    .where('project_id', '=', row.project_id)
    .where('expires_at', '<', new Date(row.created_at.getTime() - KEEP_MS))
    .execute();
  await tx.insertInto('enrolment_tokens').values(row).execute();
  const of = { kind: 'enrolment', tokenId: row.id, projectId: row.project_id, issuedTo: null } as const;
  await issueSecret(tx, { ...of, secret, prefix, now: row.created_at });
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

/** Returns what was deleted; undefined where the project has none of this id. */
export async function deleteToken(
  tx: Tx,
  projectId: string,
  id: string,
): Promise<{ readonly note: string | null } | undefined> {
  return tx
    .deleteFrom('enrolment_tokens')
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .returning('note')
    .executeTakeFirst();
}
