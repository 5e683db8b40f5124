import { type DbScope, setScope, type Tx } from '@flotilla/db';
import type { Actor } from './actor.ts';
import type { ProjectScope } from './context.ts';
import { isSystemOwner } from './guard.ts';
import type { Route } from './route.ts';

/** The rows that a request may read and write. */
interface RowScopes {
  /** Scope of `RequestContext.db`. */
  readonly read: DbScope;
  /** Scope of the transaction of `RequestContext.write`. */
  readonly write: DbScope;
}

/**
 * Row-level security as the second line of defence: the database hides what a route forgets to filter. The first rule
 * that applies decides:
 * - routes with `acrossProjects` see everything; matrix.api.test.ts lists each of them with its reason;
 * - requests in a project see its rows and, if there is a reader, only those that permissions name;
 * - anonymous callers (public routes) see no guarded row;
 * - owners of the installation see everything on routes without a project;
 * - tokens see their own project on routes without a project;
 * - everybody else sees their own rows in any project: their memberships, and the settings that apply to them.
 */
export function chooseRowScopes(
  { acrossProjects }: Pick<Route, 'acrossProjects'>,
  actor: Actor,
  scope: ProjectScope | undefined,
): RowScopes {
  if (acrossProjects) return both({ kind: 'everything' });
  if (scope !== undefined) return inProject(scope);
  if (actor.kind === 'anonymous') return both({ kind: 'nothing' });
  if (isSystemOwner(actor)) return both({ kind: 'everything' });
  if (actor.kind === 'token')
    return inProject({ id: actor.projectId, ...(actor.reader !== undefined && { reader: actor.reader }) });
  return both({ kind: 'user', userId: actor.id });
}

function inProject({ id: projectId, reader: member }: Pick<ProjectScope, 'id' | 'reader'>): RowScopes {
  if (member === undefined) return both({ kind: 'project', projectId });
  return { read: { kind: 'project', projectId, reader: member }, write: { kind: 'project', projectId, maker: member } };
}

function both(scope: DbScope): RowScopes {
  return { read: scope, write: scope };
}

/**
 * Widens the scope for the audit entry of a request without a project, when its work is done: only the scope of
 * everything may queue such an entry for sealing. Holds until the transaction ends.
 */
export async function widenForRecord(tx: Tx): Promise<void> {
  await setScope(tx, { kind: 'everything' });
}

/**
 * For a write whose route acts across projects, once the project and the member are known: restricts the rest of the
 * transaction to what this member may change there.
 */
export async function narrowToCreator(
  tx: Tx,
  scope: { readonly projectId: string; readonly maker: string },
): Promise<void> {
  await setScope(tx, { kind: 'project', ...scope });
}
