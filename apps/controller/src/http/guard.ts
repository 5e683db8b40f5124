import {
  fail,
  failIdentity,
  failSignIn,
  familyOf,
  isInFamilies,
  isRoleAtLeast,
  type RouteContract,
} from '@flotilla/contract';
import type { Database, Db } from '@flotilla/db';
import type { FastifyRequest } from 'fastify';
import { listReached, type ReachCache, requireNeed, requireStill } from '../features/permissions/index.ts';
import type { Actor, Authenticator } from './actor.ts';
import type { ProjectScope } from './context.ts';
import type { AnswerStanding } from './idempotency.ts';
import type { Route } from './route.ts';
import { readRefreshCookie, readSessionCookie, readSessionId } from './session-cookie.ts';
import { readOnce } from './validate.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Step one: who calls. Before anything of the request is looked at. */
export async function identify(
  contract: RouteContract,
  request: FastifyRequest,
  authenticator: Authenticator,
): Promise<Actor> {
  const { kind } = contract.access;
  if (kind === 'public') return { kind: 'anonymous' };
  if (kind === 'browser_refresh') return identifyRefresh(request, authenticator);
  const header = request.headers.authorization;
  // The header wins: whoever sends it means it.
  if (header === undefined && kind !== 'refresh') {
    const token = readSessionCookie(request);
    if (token === undefined) throw fail('auth.missing');
    return authenticator.authenticate(token, 'browser', request.ip);
  }
  const bearer = header === undefined ? undefined : /^Bearer ([\w.~+/=-]+)$/i.exec(header)?.[1];
  if (!bearer) throw fail('auth.missing');
  if (kind === 'cookie') throw fail('auth.wrong_kind');
  return authenticator.authenticate(bearer, kind === 'refresh' ? 'refresh' : 'access', request.ip);
}

/** By the refresh cookie, and no other credential: of the session whose cookie this browser holds. */
async function identifyRefresh(request: FastifyRequest, authenticator: Authenticator): Promise<Actor> {
  const [token, sessionId] = [readRefreshCookie(request), readSessionId(request)];
  if (request.headers.authorization !== undefined) throw fail('auth.wrong_kind');
  if (token === undefined || sessionId === undefined) throw fail('auth.missing');
  const actor = await authenticator.authenticate(token, 'browser_refresh', request.ip);
  if (actor.kind !== 'user' || actor.sessionId !== sessionId) throw fail('auth.wrong_kind');
  return actor;
}

export interface GuardDeps {
  readonly authenticator: Authenticator;
  readonly reached: ReachCache;
  readonly database: Pick<Database, 'db' | 'scoped'>;
}

/** Step two: may it do this there. Runs before the body is validated, so that a stranger learns nothing of schemas. */
export async function admit(
  { contract, locateProject }: Route,
  request: FastifyRequest,
  actor: Actor,
  deps: GuardDeps,
): Promise<ProjectScope | undefined> {
  if (actor.kind === 'anonymous') return undefined;
  refuseForeignFamily(contract, actor);
  refuseOldPassword(contract, actor);
  if (contract.access.kind === 'system_owner' && !isSystemOwner(actor)) throw fail('owner.required');
  const projectId = await findProject(contract, request, { actor, locateProject, db: deps.database.db });
  if (projectId === undefined) {
    refuseTokens(contract, actor);
    return undefined;
  }
  const role = UUID.test(projectId) ? await deps.authenticator.findRole(actor, projectId) : undefined;
  if (role === undefined) {
    // For a target's project: an id of another project is the same as one that never was.
    const hidden = contract.project === 'target';
    if (UUID.test(projectId)) request.refused = { projectId, hidden };
    throw hidden ? notFound(request) : fail('project.forbidden');
  }
  if (contract.access.kind === 'roles' && !contract.access.roles.includes(role)) {
    request.refused = { projectId, role };
    throw fail('role.forbidden', { roles: contract.access.roles.join(' or '), role });
  }
  refuseTokens(contract, actor);
  const reader = await deps.authenticator.findReader(actor, projectId);
  const scope = { id: projectId.toLowerCase(), role, reader };
  if (contract.needs && reader !== undefined)
    await requireNeed(contract.needs, request, {
      database: deps.database,
      reached: deps.reached,
      scope: { ...scope, reader },
    });
  return scope;
}

/** Once more, of a write about one thing by somebody whose permissions count: step two may have let it pass by what it remembers. */
export function askStill({ needs }: RouteContract, request: FastifyRequest, scope: ProjectScope | undefined) {
  const { id: projectId, reader: userId } = scope ?? {};
  if (needs === undefined || projectId === undefined || userId === undefined) return undefined;
  return (db: Db) => requireStill(needs, request, { db, reader: { projectId, userId } });
}

/**
 * Step two again, for an answer that was stored: whoever asks for it may do the same now, has no lesser role than it was given
 * to, and may change all that it tells of, where permissions count. Throws what step two does, or idempotency.withheld.
 */
export async function admitAgain(
  route: Route,
  request: FastifyRequest,
  { actor, standing, ...deps }: GuardDeps & { readonly actor: Actor; readonly standing: AnswerStanding },
): Promise<void> {
  const scope = await admit(route, request, actor, deps);
  await askStill(route.contract, request, scope)?.(deps.database.db);
  const { role, shows } = standing;
  if (scope !== undefined && role !== undefined && !isRoleAtLeast(scope.role, role)) throw fail('idempotency.withheld');
  if (scope?.reader === undefined || route.contract.needs) return;
  if (shows === undefined) throw fail('idempotency.withheld');
  const reader = { projectId: scope.id, userId: scope.reader };
  for (const kind of new Set(shows.map((thing) => thing.kind))) {
    const ids = shows.flatMap((thing) => (thing.kind === kind ? [thing.id] : []));
    const reached = await listReached(deps.database.db, reader, { kind, ids, level: 'change' });
    if (ids.some((id) => !reached.has(id))) throw fail('idempotency.withheld');
  }
}

/** Throws auth.session_required for a token where only people may call. */
function refuseTokens(contract: RouteContract, actor: Actor): void {
  if (contract.people === true && actor.kind === 'token') throw failIdentity('auth.session_required');
}

/** Throws token.scope for a token that was made for routes of other families. */
function refuseForeignFamily(contract: RouteContract, actor: Actor): void {
  if (actor.kind !== 'token' || isInFamilies(contract, actor.families)) return;
  const family = familyOf(contract);
  throw failIdentity('token.scope', { family: family ?? 'all families' }, { extra: { family } });
}

/** Throws password.change_required where whoever knows the password may not be the one whom it was given to. */
function refuseOldPassword(contract: RouteContract, actor: Actor): void {
  if (actor.kind === 'user' && actor.mustChangePassword && !contract.beforeNewPassword)
    throw failSignIn('password.change_required');
}

export function isSystemOwner(actor: Actor): boolean {
  return actor.kind === 'user' && actor.isOwner;
}

async function findProject(
  contract: RouteContract,
  request: FastifyRequest,
  { actor, locateProject, db }: { actor: Actor; locateProject: Route['locateProject']; db: Db },
): Promise<string | undefined> {
  switch (contract.project) {
    case 'none':
      return undefined;
    case 'query':
      return requireProject(readOnce(request.query, 'project'), 'query parameter');
    case 'query_or_all': {
      const project = readOnce(request.query, 'project');
      return project === undefined && isSystemOwner(actor) ? undefined : requireProject(project, 'query parameter');
    }
    case 'body':
      return requireProject((request.body as Record<string, unknown> | null)?.project, 'member of the body');
    case 'target': {
      const id = await locateProject?.(db, request.params as Record<string, string>);
      if (id === undefined) throw notFound(request);
      return id;
    }
  }
}

function requireProject(value: unknown, where: string): string {
  if (typeof value !== 'string' || value === '') throw fail('project.missing', { where });
  return value;
}

function notFound(request: FastifyRequest): Error {
  const names = Object.values(request.params as Record<string, string>);
  return fail('record.not_found', { kind: 'record', name: names.at(-1) ?? '' });
}
