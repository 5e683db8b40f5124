import {
  INVITATION_DAYS,
  INVITATIONS_MAX,
  type InvitationView,
  type OwnInvitationView,
  type Role,
} from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { takeLock } from '../../../platform/database/named-lock.ts';
import type { ListQuery } from '../../../platform/database/paging.ts';
import { type RowOf, Rows } from '../../../platform/database/records.ts';

const INVITATIONS = new Rows<ViewRow, InvitationView>({
  sortable: {
    username: sql`lower(invitations.username)`,
    created_at: 'invitations.created_at',
    expires_at: 'invitations.expires_at',
  },
  defaultSort: 'username',
  id: 'invitations.id',
  searched: ['invitations.username'],
  toView,
});

const DAY_MS = 24 * 3600_000;

/** An invitation is void once its inviter may not give the role any more. */
const IS_STANDING = sql<boolean>`exists (
  select from users inviter
  left join memberships given on given.user_id = inviter.id and given.project_id = invitations.project_id
  where inviter.id = invitations.invited_by and inviter.active
    and not exists (select from external_identities gone where gone.user_id = inviter.id and gone.gone_at is not null)
    and (inviter.is_owner or given.role = 'owner' or (given.role = 'admin' and invitations.role <> 'owner')))`;

function selectOpen(db: Db | Tx, now: Date) {
  return db.selectFrom('invitations').where('invitations.expires_at', '>', now).where(IS_STANDING);
}

function selectViews(db: Db | Tx, projectId: string, now: Date) {
  return selectOpen(db, now)
    .innerJoin('users as inviter', 'inviter.id', 'invitations.invited_by')
    .select(['invitations.id', 'invitations.project_id', 'invitations.username', 'invitations.role'])
    .select(['inviter.username as invited_by', 'invitations.created_at', 'invitations.expires_at'])
    .where('invitations.project_id', '=', projectId);
}

type ViewRow = RowOf<typeof selectViews>;

/** Contains nothing about the account: see `invitationSchema`. */
function toView(row: ViewRow): InvitationView {
  const { id, project_id: project, username, role, invited_by, created_at, expires_at } = row;
  const times = { created_at: created_at.toISOString(), expires_at: expires_at.toISOString() };
  return { id, project, username, role, invited_by, ...times };
}

export const listInvitations = (db: Db, projectId: string, { now, ...query }: ListQuery & { now: Date }) =>
  INVITATIONS.list(selectViews(db, projectId, now), query);

interface Place {
  readonly projectId: string;
  readonly now: Date;
}

/** undefined if it has expired, was withdrawn, or belongs to another project. */
export async function findInvitation(
  db: Db | Tx,
  { projectId, now }: Place,
  of: { readonly id: string } | { readonly username: string },
): Promise<InvitationView | undefined> {
  const row = await selectViews(db, projectId, now)
    .$if('id' in of, (query) => query.where('invitations.id', '=', 'id' in of ? of.id : ''))
    .$if('username' in of, (query) =>
      query.where(sql`lower(invitations.username)`, '=', 'username' in of ? of.username.toLowerCase() : ''),
    )
    .executeTakeFirst();
  return row && toView(row);
}

/** Serialises invitations to the project until the transaction ends. */
export async function lockInvitationsOf(tx: Tx, projectId: string): Promise<void> {
  await takeLock(tx, `invitations of ${projectId}`);
}

/** Call it under `lockInvitationsOf`. Also counts declined invitations, which are still open for the project. */
export async function hasRoomForInvitation(tx: Tx, { projectId, now }: Place): Promise<boolean> {
  const { count } = await tx
    .selectFrom('invitations')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return Number(count) < INVITATIONS_MAX;
}

/**
 * Replaces every other invitation of the name. Finds the account in the same statement, so that unknown names take the
 * same time.
 */
export async function putInvitation(
  tx: Tx,
  of: Place & { readonly id: string; readonly username: string; readonly role: Role; readonly invitedBy: string },
): Promise<void> {
  await deleteInvitationOf(tx, of);
  const expiresAt = new Date(of.now.getTime() + INVITATION_DAYS * DAY_MS);
  await sql`insert into invitations (id, project_id, username, user_id, role, invited_by, created_at, expires_at)
    select ${of.id}::uuid, ${of.projectId}::uuid, ${of.username}::text,
      (select id from users where lower(username) = lower(${of.username}::text)), ${of.role}::text,
      ${of.invitedBy}::uuid, ${of.now}::timestamptz, ${expiresAt}::timestamptz`.execute(tx);
}

async function deleteInvitationOf(tx: Tx, { projectId, username }: { projectId: string; username: string }) {
  await tx
    .deleteFrom('invitations')
    .where('project_id', '=', projectId)
    .where(sql`lower(username)`, '=', username.toLowerCase())
    .execute();
}

/** False if it does not exist any more. */
export async function deleteInvitation(tx: Tx, projectId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('invitations')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
  return Number(numDeletedRows) === 1;
}

/** The account that had the name when it was invited. Only for the audit log of the installation. */
export async function findInvitedId(tx: Tx, id: string): Promise<string | null> {
  const row = await tx.selectFrom('invitations').select('user_id').where('id', '=', id).executeTakeFirst();
  return row?.user_id ?? null;
}

/** Invitations that an account may answer. Owners of the installation need none, so they see none. */
function selectOwn(db: Db | Tx, userId: string, now: Date) {
  return selectOpen(db, now)
    .innerJoin('projects', 'projects.id', 'invitations.project_id')
    .innerJoin('users as inviter', 'inviter.id', 'invitations.invited_by')
    .innerJoin('users as account', 'account.id', 'invitations.user_id')
    .select(['invitations.id', 'projects.id as project', 'projects.name as project_name', 'invitations.role'])
    .select(['inviter.username as invited_by', 'invitations.created_at', 'invitations.expires_at'])
    .where('account.id', '=', userId)
    .where('account.is_owner', '=', false)
    .where('account.active', '=', true)
    .where('invitations.declined_at', 'is', null);
}

/** Needs the scope of everything: the account belongs to none of these projects. Returns the newest hundred. */
export async function listOwnInvitations(db: Db, userId: string, now: Date): Promise<OwnInvitationView[]> {
  const rows = await selectOwn(db, userId, now)
    .orderBy('invitations.created_at', 'desc')
    .orderBy('invitations.id')
    .limit(100)
    .execute();
  return rows.map(({ created_at, expires_at, ...row }) => ({
    ...row,
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
  }));
}

/** Locks: if it is accepted, declined and withdrawn at once, only one succeeds. */
export async function lockOwnInvitation(
  tx: Tx,
  { id, userId, now }: { readonly id: string; readonly userId: string; readonly now: Date },
) {
  return selectOwn(tx, userId, now).where('invitations.id', '=', id).forUpdate('invitations').executeTakeFirst();
}

export async function markDeclined(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable('invitations').set({ declined_at: now }).where('id', '=', id).execute();
}

/** Deletes expired invitations. */
export async function forgetOldInvitations(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('invitations').where('expires_at', '<=', now).execute();
}
