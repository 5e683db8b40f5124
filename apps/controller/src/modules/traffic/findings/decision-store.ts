import { FINDING_OPEN_STATES } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { Rows, type SearchQuery } from '../../../platform/database/records.ts';
import { mayOwn } from './expiry-store.ts';
import { announceFindings } from './history-store.ts';
import type { Decided } from './model/decision.ts';

interface Change {
  readonly projectId: string;
  readonly ids: readonly string[];
  readonly by: string;
  readonly now: Date;
}

export interface Counted {
  readonly changed: number;
  readonly unchanged: number;
  /** Closed findings, about which people do not decide. */
  readonly refused: number;
}

const OPEN = sql`${[...FINDING_OPEN_STATES]}::text[]`;

/**
 * Gives findings a state. The second of two people who do so at the same time sees what the first one did: rows are locked in the order of their ids.
 * A finding that has the state already changes only if its reason or date does.
 */
export async function decideMany(tx: Tx, { projectId, ids, by, now }: Change, decided: Decided): Promise<Counted> {
  const { state, reason, until } = decided;
  const { rows } = await sql<{ changed: number; refused: number; locked: number }>`
    with locked as materialized (
      select id, state, reason, accepted_until from inventory_findings
      where project_id = ${projectId} and id = any(${[...ids]}::uuid[]) order by id for update
    ), changed as (
      update inventory_findings f set state = ${state}, state_since = ${now}, state_by = ${by}, reason = ${reason},
        accepted_until = ${until}::timestamptz, revision = f.revision + 1
      from locked where f.id = locked.id and locked.state = any(${OPEN})
        and (locked.state <> ${state} or (${state} = 'accepted' and (locked.reason is distinct from ${reason}
          or locked.accepted_until is distinct from ${until}::timestamptz)))
      returning f.id, locked.state as before
    ), noted as (
      insert into inventory_finding_history (id, project_id, finding_id, at, kind, from_value, to_value, by_name, note)
      select time_uuid(), ${projectId}, id, ${now}, 'state', before, ${state}, ${by}, ${describe(decided)} from changed
    )
    select (select count(*) from changed)::int as changed, (select count(*) from locked)::int as locked,
      (select count(*) from locked where state <> all(${OPEN}))::int as refused`.execute(tx);
  return count(tx, projectId, rows[0]);
}

/** The note of the history: for an acceptance, with its end. */
function describe({ reason, until }: Decided): string | null {
  return until === null ? reason : `${reason} (until ${until.toISOString().slice(0, 10)})`;
}

/** Gives findings an owner; null: nobody. */
export async function assignMany(
  tx: Tx,
  { projectId, ids, by, now }: Change,
  ownerId: string | null,
): Promise<Counted> {
  const { rows } = await sql<{ changed: number; refused: number; locked: number }>`
    with locked as materialized (
      select id, owner_id from inventory_findings
      where project_id = ${projectId} and id = any(${[...ids]}::uuid[]) order by id for update
    ), changed as (
      update inventory_findings f set owner_id = ${ownerId}::uuid, revision = f.revision + 1
      from locked where f.id = locked.id and locked.owner_id is distinct from ${ownerId}::uuid
      returning f.id, locked.owner_id as before
    ), noted as (
      insert into inventory_finding_history (id, project_id, finding_id, at, kind, from_value, to_value, by_name)
      select time_uuid(), ${projectId}, changed.id, ${now}, 'owner', old.username, new.username, ${by}
      from changed left join users old on old.id = changed.before left join users new on new.id = ${ownerId}::uuid
    )
    select (select count(*) from changed)::int as changed, (select count(*) from locked)::int as locked, 0 as refused`.execute(
    tx,
  );
  return count(tx, projectId, rows[0]);
}

async function count(
  tx: Tx,
  projectId: string,
  counts: { readonly changed: number; readonly refused: number; readonly locked: number } | undefined,
): Promise<Counted> {
  const { changed, refused, locked } = counts ?? { changed: 0, refused: 0, locked: 0 };
  if (changed > 0) await announceFindings(tx, projectId);
  return { changed, refused, unchanged: locked - changed - refused };
}

/** The name of an active member of the project; undefined: the project has no such member. */
export async function findMember(db: Db, projectId: string, userId: string): Promise<string | undefined> {
  const { rows } = await sql<{ username: string }>`
    select u.username from memberships m join users u on u.id = m.user_id
    where m.project_id = ${projectId} and m.user_id = ${userId} and u.active`.execute(db);
  return rows[0]?.username;
}

/** Whether the member may see the operations of all these findings. */
export async function maySeeAll(tx: Tx, userId: string, ids: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ hidden: boolean }>`
    select exists (select from (
        select f.project_id, f.services, ${userId}::uuid as owner_id from inventory_findings f
        where f.id = any(${[...ids]}::uuid[])
      ) f where not ${mayOwn}) as hidden`.execute(tx);
  return rows[0]?.hidden === false;
}

const MEMBERS = new Rows<{ id: string; name: string }, { id: string; name: string }>({
  sortable: { name: sql`lower(members.name)` },
  defaultSort: 'name',
  id: 'members.id',
  searched: ['members.name'],
  toView: ({ id, name }) => ({ id, name }),
});

export function listMembers(db: Db, projectId: string, query: SearchQuery) {
  const members = sql<{ id: string; name: string }>`(
    select u.id, u.username as name from memberships m join users u on u.id = m.user_id
    where m.project_id = ${projectId} and u.active)`;
  return MEMBERS.list(db.selectFrom(members.as('members')).selectAll('members'), query);
}
