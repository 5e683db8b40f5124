import {
  failJob,
  isInFamilies,
  isRoleAtLeast,
  LISTED_ROLES,
  READERS,
  type Role,
  type RouteContract,
  type RouteFamily,
} from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { listReached, type Reader } from '../auth/index.ts';
import { toFamilies } from '../tokens/index.ts';
import type { JobActor, JobNeed } from './model.ts';

export interface RightsQuestion {
  readonly actor: JobActor;
  readonly project: string | null;
  readonly route: Pick<RouteContract, 'access' | 'family'> | null;
  /** Resources that the actor must be able to access, in projects with restricted access. */
  readonly needs?: readonly JobNeed[] | undefined;
}

/** The current rights of an actor. */
export interface Permit {
  /** Why the actor may not call the route; undefined if it may. */
  readonly refusal?: string | undefined;
  /** The member whose permissions restrict the access to the project; undefined: no restriction. */
  readonly reader?: string | undefined;
}

/**
 * Reads the current rows, whatever the rights were when the job was requested. Without a route, the actor must only
 * still belong to the project.
 */
export async function findPermit(db: Db, question: RightsQuestion): Promise<Permit> {
  const { actor, project, route, needs = [] } = question;
  if (actor.kind === 'system') return {};
  const rights = actor.kind === 'user' ? await findUser(db, actor.id, project) : await findToken(db, actor.id, project);
  if (typeof rights === 'string') return { refusal: rights };
  if (rights.isOwner) return {};
  const refusal = findRefusalOf(rights, route);
  if (refusal !== undefined) return { refusal };
  const { reader } = rights;
  if (reader === undefined || project === null) return {};
  return { reader, refusal: await findUnreached(db, { projectId: project, userId: reader }, needs) };
}

export async function findRefusal(db: Db, question: RightsQuestion): Promise<string | undefined> {
  return (await findPermit(db, question)).refusal;
}

export async function requireRights(db: Db, question: RightsQuestion): Promise<void> {
  const reason = await findRefusal(db, question);
  if (reason !== undefined) throw failJob('job.forbidden', { reason });
}

function findRefusalOf(rights: ActorRights, route: RightsQuestion['route']): string | undefined {
  if (route?.access.kind === 'system_owner') return 'only owners of the installation may';
  if (route && rights.families !== undefined && !isInFamilies(route, rights.families))
    return 'the API token was narrowed to other families of routes';
  const roles = route === null ? READERS : route.access.kind === 'roles' ? route.access.roles : undefined;
  if (roles === undefined) return undefined;
  if (rights.role === undefined) return 'they have no role in the project';
  return roles.includes(rights.role) ? undefined : `the role ${rights.role} is not enough`;
}

async function findUnreached(db: Db, reader: Reader, needs: readonly JobNeed[]): Promise<string | undefined> {
  for (const { kind, level, id } of needs) {
    const reached = await listReached(db, reader, { kind, level, ids: [id] });
    if (!reached.has(id)) return `they have no permission to ${level} this ${kind}`;
  }
  return undefined;
}

interface ActorRights {
  readonly isOwner: boolean;
  readonly role: Role | undefined;
  /** See `Permit`. */
  readonly reader?: string | undefined;
  /** For tokens: the scopes of routes that it may call; null: all. */
  readonly families?: readonly RouteFamily[] | null;
}

async function findUser(db: Db, id: string, project: string | null): Promise<ActorRights | string> {
  const user = await db
    .selectFrom('users')
    .leftJoin('external_identities', 'external_identities.user_id', 'users.id')
    .select(['active', 'is_owner', 'gone_at'])
    .where('users.id', '=', id)
    .executeTakeFirst();
  if (!user?.active) return 'the account is gone or switched off';
  if (user.gone_at) return 'they are gone from the directory that they sign in at';
  if (user.is_owner || project === null) return { isOwner: user.is_owner, role: undefined };
  const membership = await db
    .selectFrom('memberships')
    .innerJoin('projects', 'projects.id', 'memberships.project_id')
    .select(['role', 'resource_access'])
    .where('user_id', '=', id)
    .where('project_id', '=', project)
    .executeTakeFirst();
  const isHeld = membership?.resource_access === 'listed' && LISTED_ROLES.includes(membership.role);
  return { isOwner: false, role: membership?.role, reader: isHeld ? id : undefined };
}

/** A token never has more rights than the current holder of its newest secret. */
async function findToken(db: Db, id: string, project: string | null): Promise<ActorRights | string> {
  const token = await db
    .selectFrom('api_tokens')
    .innerJoin('token_secrets', 'token_secrets.token_id', 'api_tokens.id')
    .select([
      'api_tokens.project_id',
      'role',
      'families',
      'issued_to',
      'api_tokens.expires_at',
      'token_secrets.expires_at as spent_at',
    ])
    .where('api_tokens.id', '=', id)
    .where('token_kind', '=', 'api')
    .orderBy('token_secrets.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (token?.project_id !== project || isOver(token.expires_at) || isOver(token.spent_at))
    return 'the API token is gone or has expired';
  const holder =
    token.issued_to === null ? 'the holder of the API token is gone' : await findUser(db, token.issued_to, project);
  if (typeof holder === 'string') return holder;
  const ceiling = holder.isOwner ? 'owner' : holder.role;
  if (ceiling === undefined) return 'the holder of the API token has no role in the project';
  const families = token.families && toFamilies(token.families);
  const role = isRoleAtLeast(ceiling, token.role) ? token.role : ceiling;
  // The role of the token limits the actions; the holder's permissions limit the resources.
  return { isOwner: false, role, reader: holder.reader, families };
}

function isOver(at: Date | null): boolean {
  return at !== null && at.getTime() <= Date.now();
}
