import { isInFamilies, isRoleAtLeast, type Role, type RouteContract, type RouteFamily } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { toFamilies } from '../tokens/index.ts';
import type { JobActor } from './model.ts';

export interface RightsQuestion {
  readonly actor: JobActor;
  readonly project: string | null;
  readonly route: Pick<RouteContract, 'access' | 'family' | 'tag'> | null;
}

/** Why an actor may not call a route now; undefined when it may. By the rows of this moment, whatever held when it asked. */
export async function findRefusal(db: Db, { actor, project, route }: RightsQuestion): Promise<string | undefined> {
  if (route === null || actor.kind === 'system') return undefined;
  const standing =
    actor.kind === 'user' ? await findUser(db, actor.id, project) : await findToken(db, actor.id, project);
  if (typeof standing === 'string') return standing;
  const { access } = route;
  if (standing.isOwner) return undefined;
  if (access.kind === 'system_owner') return 'only owners of the installation may';
  if (standing.families !== undefined && !isInFamilies(route, standing.families))
    return 'the API token was narrowed to other families of routes';
  if (access.kind !== 'roles') return undefined;
  if (standing.role === undefined) return 'they have no role in the project';
  return access.roles.includes(standing.role) ? undefined : `the role ${standing.role} is not enough`;
}

interface ActorStanding {
  /** Of the installation. */
  readonly isOwner: boolean;
  readonly role: Role | undefined;
  /** Of a token: the routes that it may call; null: of all families. */
  readonly families?: readonly RouteFamily[] | null;
}

async function findUser(db: Db, id: string, project: string | null): Promise<ActorStanding | string> {
  const user = await db.selectFrom('users').select(['active', 'is_owner']).where('id', '=', id).executeTakeFirst();
  if (!user?.active) return 'the account is gone or switched off';
  if (user.is_owner || project === null) return { isOwner: user.is_owner, role: undefined };
  const membership = await db
    .selectFrom('memberships')
    .select('role')
    .where('user_id', '=', id)
    .where('project_id', '=', project)
    .executeTakeFirst();
  return { isOwner: false, role: membership?.role };
}

/** A token is never worth more than its maker is now. */
async function findToken(db: Db, id: string, project: string | null): Promise<ActorStanding | string> {
  const token = await db
    .selectFrom('api_tokens')
    .select(['project_id', 'role', 'created_by', 'expires_at', 'families'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!token || token.project_id !== project || (token.expires_at && token.expires_at <= new Date()))
    return 'the API token is gone or has expired';
  const maker =
    token.created_by === null ? 'the maker of the API token is gone' : await findUser(db, token.created_by, project);
  if (typeof maker === 'string') return maker;
  const ceiling = maker.isOwner ? 'owner' : maker.role;
  if (ceiling === undefined) return 'the maker of the API token has no role in the project';
  const families = token.families && toFamilies(token.families);
  return { isOwner: false, role: isRoleAtLeast(ceiling, token.role) ? token.role : ceiling, families };
}
