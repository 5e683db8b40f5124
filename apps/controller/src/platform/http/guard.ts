import { fail, failIdentity, failSignIn, isInFamilies, isRoleAtLeast, type RouteContract } from '@flotilla/contract';
import type { Database, Db } from '@flotilla/db';
import type { FastifyRequest } from 'fastify';
import { listReached, type ReachCache, requireNeed, requireStill } from '../auth/index.ts';
import type { Actor, Authenticator } from './actor.ts';
import type { ProjectScope } from './context.ts';
import type { AnswerConditions } from './idempotency-store.ts';
import type { Route } from './route.ts';
import { readRefreshCookie, readSessionCookie, readSessionId } from './session-cookie.ts';
import { readOnce, refuse } from './validate.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Step one: authenticates the caller before anything else of the request is looked at. */
export async function identify(
  contract: RouteContract,
  request: FastifyRequest,
  authenticator: Authenticator,
): Promise<Actor> {
  const { kind } = contract.access;
  if (kind === 'public') return { kind: 'anonymous' };
  if (kind === 'browser_refresh') return identifyRefresh(request, authenticator);
  const header = request.headers.authorization;
  // The Authorization header takes precedence over the cookie.
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

/** Accepts only the refresh cookie, and only for the session of this browser's session cookie. */
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

/**
 * Step two: checks that the caller may do this in the project. Runs before the body is validated, so that a stranger
 * learns nothing about schemas.
 */
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
    const closed = UUID.test(projectId) ? await deps.authenticator.findClosedRole(actor, projectId) : undefined;
    if (closed) {
      request.refused = { projectId, role: closed };
      throw failIdentity('project.factor_required');
    }
    // For routes with a target project, a foreign id looks like one that never existed.
    const hidden = contract.project === 'target';
    if (UUID.test(projectId)) request.refused = { projectId, hidden };
    throw hidden ? notFound(request) : fail('project.forbidden', {}, UUID.test(projectId) ? {} : NO_ID);
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

/**
 * Returns a second check for a write to one resource by a caller with permissions: step two may have used a cached
 * answer.
 */
export function askStill({ needs }: RouteContract, request: FastifyRequest, scope: ProjectScope | undefined) {
  const { id: projectId, reader: userId } = scope ?? {};
  if (needs === undefined || projectId === undefined || userId === undefined) return undefined;
  return (db: Db) => requireStill(needs, request, { db, reader: { projectId, userId } });
}

/**
 * Repeats step two before a stored answer is sent again: the caller must still be allowed to make the request, must not
 * have a lower role than at first, and must be allowed to change everything in the answer if permissions apply. Throws
 * the errors of step two, or idempotency.withheld.
 */
export async function admitAgain(
  route: Route,
  request: FastifyRequest,
  { actor, conditions, ...deps }: GuardDeps & { readonly actor: Actor; readonly conditions: AnswerConditions },
): Promise<void> {
  const scope = await admit(route, request, actor, deps);
  await askStill(route.contract, request, scope)?.(deps.database.db);
  const { role, shows } = conditions;
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

/** Throws auth.session_required for a token if only people may call the route. */
function refuseTokens(contract: RouteContract, actor: Actor): void {
  if (contract.people === true && actor.kind === 'token') throw failIdentity('auth.session_required');
}

/** Throws token.scope if the token's scopes do not include the route. */
function refuseForeignFamily(contract: RouteContract, actor: Actor): void {
  if (actor.kind !== 'token' || isInFamilies(contract, actor.families)) return;
  const { family } = contract;
  throw failIdentity('token.scope', { family: family ?? 'all families' }, { extra: { family } });
}

/** Throws password.change_required while somebody other than the user may know the password. */
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
      return requireProject(findNamedProject(request), 'query parameter or member of the body');
    case 'target': {
      const id = await locateProject?.(db, request.params as Record<string, string>);
      if (id === undefined) throw notFound(request);
      return id;
    }
  }
}

/** Sending a name instead of an id is a common mistake; the hint reveals nothing about projects. */
const NO_ID = {
  details: [{ path: 'project', rule: 'id', message: 'is not an id; GET /api/v3/setting/projects lists names and ids' }],
};

/** The project of a route that takes it from the body or, like other routes, from the query. */
function findNamedProject(request: FastifyRequest): unknown {
  const inQuery = readOnce(request.query, 'project');
  const inBody = (request.body as Record<string, unknown> | null)?.project;
  const areBoth = typeof inQuery === 'string' && typeof inBody === 'string';
  if (areBoth && inQuery.toLowerCase() !== inBody.toLowerCase())
    throw refuse([{ path: 'project', rule: 'conflict', message: 'is another one in the query than in the body' }]);
  return inBody ?? inQuery;
}

function requireProject(value: unknown, where: string): string {
  if (typeof value !== 'string' || value === '') throw fail('project.missing', { where });
  return value;
}

function notFound(request: FastifyRequest): Error {
  const names = Object.values(request.params as Record<string, string>);
  return fail('record.not_found', { kind: 'record', name: names.at(-1) ?? '' });
}
