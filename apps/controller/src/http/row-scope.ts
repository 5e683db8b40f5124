import { type DbScope, formatScope, type Tx } from '@flotilla/db';
import { sql } from 'kysely';
import type { Actor } from './actor.ts';
import type { ProjectScope } from './context.ts';
import { isSystemOwner } from './guard.ts';
import type { Route } from './route.ts';

/** Whose rows a request is shown, and whose it may write. */
interface RowScopes {
  /** Of `RequestContext.db`. */
  readonly read: DbScope;
  /** Of the transaction of `RequestContext.write`. */
  readonly write: DbScope;
}

/**
 * The second wall: what a route forgets to ask for, the database does not show. What a request gets, the first that holds:
 * - everything, where its route declares `acrossProjects`. Each is named with its reason in matrix.api.test.ts;
 * - the project that it acts in: its rows, and of these what permissions name where there is a reader;
 * - no guarded row, where nobody is signed in (public routes);
 * - everything, for owners of the installation on routes without a project: nothing of it is foreign to them;
 * - the project of the token, for tokens on routes without a project;
 * - what is the person's own, whatever the project: the own places, and the settings of these that hold for the person.
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
 * For the audit record of a request that acts in no project, when its work is done: what concerns no project is put in line
 * for sealing in the scope of everything alone. Holds until the transaction ends.
 */
export async function widenForRecord(tx: Tx): Promise<void> {
  await sql`select set_config('flotilla.scope', 'everything', true)`.execute(tx);
}

/**
 * For a write whose route acts across projects, once it is known who does what in which: from here to its end the transaction
 * is held to what this member may change there.
 */
export async function narrowToMaker(
  tx: Tx,
  scope: { readonly projectId: string; readonly maker: string },
): Promise<void> {
  await sql`select set_config('flotilla.scope', ${formatScope({ kind: 'project', ...scope })}, true)`.execute(tx);
}
