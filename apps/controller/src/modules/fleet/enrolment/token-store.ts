import type { EnrolmentTokenView } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { type Insertable, type Selectable, sql } from 'kysely';
import { Records, type SearchQuery } from '../../../platform/database/records.ts';
import { issueSecret, rotateSecret } from '../../../platform/tokens/index.ts';
import { hasVouchedSecret } from '../../../platform/tokens/vouching-store.ts';
import type { EnrolmentTokensTable } from './tables.ts';

/** How long used and expired tokens stay in the list. */
const KEEP_MS = 30 * 86_400_000;

interface FreshSecret {
  /** The creator, who vouches for the hosts that it enrols. */
  readonly issuedTo: string | null;
  readonly secret: string;
  readonly prefix: string;
}

export async function insertToken(
  tx: Tx,
  row: Insertable<EnrolmentTokensTable> & { created_at: Date },
  fresh: FreshSecret,
): Promise<void> {
  await tx
    .deleteFrom('enrolment_tokens')
    .where('project_id', '=', row.project_id)
    .where('expires_at', '<', new Date(row.created_at.getTime() - KEEP_MS))
    .execute();
  await tx.insertInto('enrolment_tokens').values(row).execute();
  await issueSecret(tx, { ...ofToken(row), ...fresh, now: row.created_at });
}

/** Gives a locked token a new secret. The previous one stays valid for `overlapS`, but not longer than the token. */
export async function rotateToken(
  tx: Tx,
  row: ShownToken,
  { overlapS, now, ...fresh }: FreshSecret & { readonly overlapS: number; readonly now: Date },
): Promise<void> {
  const leftS = Math.max(0, Math.floor((row.expires_at.getTime() - now.getTime()) / 1000));
  await rotateSecret(tx, { ...ofToken(row), ...fresh, now }, Math.min(overlapS, leftS));
}

function ofToken({ id, project_id: projectId }: { readonly id: string; readonly project_id: string }) {
  return { kind: 'enrolment', tokenId: id, projectId } as const;
}

const SHOWN = [
  'id',
  'project_id',
  'note',
  'labels',
  'created_by',
  'created_at',
  'expires_at',
  'used_at',
  'used_by_client',
] as const;
export interface ShownToken extends Pick<Selectable<EnrolmentTokensTable>, (typeof SHOWN)[number]> {
  /** See `hasVouchedSecret`. */
  readonly is_vouched_for: boolean;
}

/**
 * Locks the token with a write until the transaction ends, which also notifies watchers. undefined if the project has
 * no token with this id.
 */
export async function lockToken(
  tx: Tx,
  { projectId, id, now }: { readonly projectId: string; readonly id: string; readonly now: Date },
): Promise<ShownToken | undefined> {
  return tx
    .updateTable('enrolment_tokens')
    .set({ note: sql`note` })
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .returning(SHOWN)
    .returning(hasVouchedSecret(now).as('is_vouched_for'))
    .executeTakeFirst();
}

const TOKENS = new Records<ShownToken, ShownToken>({
  kind: 'enrolment token',
  table: 'enrolment_tokens',
  sortable: { created_at: 'created_at', expires_at: 'expires_at' },
  defaultSort: '-created_at',
  searched: ['note', 'created_by'],
  toView: (row) => row,
});

interface Place {
  readonly projectId: string;
  readonly now: Date;
}

interface TokenQuery extends SearchQuery {
  readonly status?: readonly EnrolmentTokenView['status'][] | undefined;
}

export const listTokens = (db: Db, place: Place, { status, ...query }: TokenQuery) =>
  TOKENS.list(selectTokens(db, place, status), query);

/** Throws record.not_found, also for a token of another project. */
export const findToken = (db: Db, place: Place, id: string) => TOKENS.find(selectTokens(db, place), id);

function selectTokens(db: Db, { projectId, now }: Place, status?: TokenQuery['status']) {
  const isVouchedFor = hasVouchedSecret(now);
  const query = db
    .selectFrom('enrolment_tokens')
    .select(SHOWN)
    .select(isVouchedFor.as('is_vouched_for'))
    .where('project_id', '=', projectId);
  if (!status) return query;
  return query.where(({ eb, and, or }) => {
    const [unused, lasts] = [eb('used_at', 'is', null), eb('expires_at', '>', now)];
    const conditions = {
      used: eb('used_at', 'is not', null),
      open: and([unused, lasts, eb(isVouchedFor, '=', true)]),
      void: and([unused, lasts, eb(isVouchedFor, '=', false)]),
      expired: and([unused, eb('expires_at', '<=', now)]),
    };
    return or(status.map((one) => conditions[one]));
  });
}

/** Returns the deleted token; undefined if the project has none with this id. */
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
