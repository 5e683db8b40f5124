import { isRoleAtLeast, LISTED_ROLES, type Role, type RouteFamily } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { isOpenTo } from '../auth/index.ts';
import type { KnownActor } from '../http/actor.ts';
import { isControllerLive } from '../presence/index.ts';

/** An actor that the guard admitted to a project. */
export interface Admitted {
  readonly actor: KnownActor;
  readonly project: string;
}

export interface ListenerRights {
  readonly role: Role;
  /** Restricted to the resources that permissions name. */
  readonly isReader: boolean;
}

/**
 * Looks up the current role of each of them by the sign-in rules, in two queries. Omits those without a role, and
 * tokens that may not call this scope of routes.
 */
export async function findListenerRights<T extends Admitted>(
  db: Db,
  admitted: readonly T[],
  { family, now }: { readonly family: RouteFamily; readonly now: Date },
): Promise<Map<T, ListenerRights>> {
  const [users, tokens] = await Promise.all([findUsers(db, admitted, now), findTokens(db, admitted, family, now)]);
  const rights = new Map<T, ListenerRights>();
  for (const one of admitted) {
    const found =
      one.actor.kind === 'user'
        ? users.get(`${one.actor.sessionId} ${one.actor.isOwner} ${one.project}`)
        : tokens.get(`${one.actor.secretId} ${one.project}`);
    if (found) rights.set(one, found);
  }
  return rights;
}

async function findUsers(db: Db, admitted: readonly Admitted[], now: Date): Promise<Map<string, ListenerRights>> {
  const wanted = admitted.flatMap(({ actor, project }) =>
    actor.kind === 'user' ? [{ session: actor.sessionId, project }] : [],
  );
  if (wanted.length === 0) return new Map();
  const { rows } = await sql<{ session: string; project: string; is_owner: boolean; role: Role; access: string }>`
    select sessions.id as session, projects.id as project, users.is_owner, projects.resource_access as access,
      case when users.is_owner then 'owner' else memberships.role end as role
    from (select distinct * from unnest(
      ${wanted.map(({ session }) => session)}::uuid[], ${wanted.map(({ project }) => project)}::uuid[]
    ) as wanted (session, project)) wanted
    join sessions on sessions.id = wanted.session and sessions.ended_at is null and sessions.expires_at > ${now}
    join users on users.id = sessions.user_id and users.active
    join projects on projects.id = wanted.project
    left join memberships on memberships.user_id = users.id and memberships.project_id = projects.id
    where (users.is_owner or memberships.role is not null) and ${isOpenTo(sql`projects.id`)}`.execute(db);
  return new Map(
    rows.map(({ session, is_owner, project, role, access }) => [
      `${session} ${is_owner} ${project}`,
      { role, isReader: isReader(access, role) },
    ]),
  );
}

async function findTokens(
  db: Db,
  admitted: readonly Admitted[],
  family: RouteFamily,
  now: Date,
): Promise<Map<string, ListenerRights>> {
  const ids = admitted.flatMap(({ actor }) => (actor.kind === 'token' ? [actor.secretId] : []));
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; project: string; role: Role; maker_role: Role; access: string }>`
    select token_secrets.id, api_tokens.project_id as project, api_tokens.role, projects.resource_access as access,
      case when users.is_owner then 'owner' else memberships.role end as maker_role
    from token_secrets
    join api_tokens on api_tokens.id = token_secrets.token_id
    join projects on projects.id = api_tokens.project_id
    join users on users.id = token_secrets.issued_to and users.active
      and not exists (select from external_identities gone where gone.user_id = users.id and gone.gone_at is not null)
    left join memberships on memberships.user_id = users.id and memberships.project_id = api_tokens.project_id
    where token_secrets.id = any(${ids}::uuid[]) and (api_tokens.families is null or ${family} = any(api_tokens.families))
      and (api_tokens.expires_at is null or api_tokens.expires_at > ${now})
      and (token_secrets.expires_at is null or token_secrets.expires_at > ${now})
      and (users.is_owner or memberships.role is not null)`.execute(db);
  return new Map(
    rows.map(({ id, project, role, maker_role: maker, access }) => [
      `${id} ${project}`,
      { role: isRoleAtLeast(maker, role) ? role : maker, isReader: isReader(access, maker) },
    ]),
  );
}

/** Uses the role of the person as the guard does, also if a token has a lower one. */
function isReader(access: string, role: Role): boolean {
  return access === 'listed' && LISTED_ROLES.includes(role);
}

export async function listControllers(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('controllers').select('id').where(isControllerLive).orderBy('id').execute();
  return rows.map(({ id }) => id);
}
