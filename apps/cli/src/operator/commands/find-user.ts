import { type Role, type UserView, userRoutes } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { collectPages, PAGE_SIZE } from '../paging.ts';
import { isId } from '../project.ts';
import type { Reach } from './scope-options.ts';

interface UserFilter {
  readonly q?: string | undefined;
  readonly role?: readonly Role[] | undefined;
  readonly realm?: readonly string[] | undefined;
}

export function listUsers({ connection, project }: Reach, { q, role, realm }: UserFilter = {}): Promise<UserView[]> {
  const filter = { q, role: role && [...role], realm: realm && [...realm] };
  return collectPages(
    async (cursor) =>
      (await connection.call(userRoutes.list, { query: { project, limit: PAGE_SIZE, cursor, ...filter } })).body,
  );
}

/** By name or id. */
export async function requireUser(scope: Reach, name: string): Promise<UserView> {
  const wanted = name.toLowerCase();
  const found = (await listUsers(scope, isId(name) ? {} : { q: name })).find(
    ({ id, username }) => id === wanted || username.toLowerCase() === wanted,
  );
  if (!found)
    throw new CliFailure(
      EXIT.notFound,
      `There is no user ${name}${scope.project === undefined ? '' : ' in this project'}.`,
    );
  return found;
}

export async function requireUserId(scope: Reach, name: string): Promise<string> {
  return isId(name) ? name.toLowerCase() : (await requireUser(scope, name)).id;
}
