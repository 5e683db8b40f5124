import { profileRoutes, projectRoutes } from '@flotilla/contract';
import type { Connection } from './connection.ts';
import { CliFailure, EXIT } from './exit-codes.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isId(text: string): boolean {
  return UUID.test(text);
}

export interface NamedProject {
  readonly id: string;
  readonly name: string;
}

/** Lists the projects that the caller may access: its memberships, or all projects for owners of the installation. */
export async function listOwnProjects(connection: Connection): Promise<NamedProject[]> {
  const { body: profile } = await connection.call(profileRoutes.get, {});
  if (profile.kind === 'token') return [{ id: profile.project, name: profile.project_name }];
  if (!profile.is_owner) return profile.memberships.map(({ project, project_name: name }) => ({ id: project, name }));
  const { body } = await connection.call(projectRoutes.list, { query: { limit: 1000 } });
  return body.items.map(({ id, name }) => ({ id, name }));
}

/** Returns the id of the given project (name or id), of the default project, or of the only project. */
export async function findProject(connection: Connection, given: string | undefined): Promise<string> {
  if (given !== undefined) {
    if (isId(given)) return given.toLowerCase();
    return (await findNamed(connection, given)).id;
  }
  const isSameController = connection.settings.url === connection.url;
  if (isSameController && connection.settings.project) return connection.settings.project;
  const projects = await listOwnProjects(connection);
  const [only, ...others] = projects;
  if (only && others.length === 0) return only.id;
  const names = projects.slice(0, 20).map(({ name }) => name);
  throw only
    ? new CliFailure(EXIT.usage, `Choose a project with --project NAME. Yours are ${names.join(', ')}`)
    : new CliFailure(EXIT.forbidden, 'You are not a member of any project: ask an owner or admin of one to add you.');
}

export async function findNamed(connection: Connection, name: string): Promise<NamedProject> {
  const projects = await listOwnProjects(connection);
  const found = projects.find((project) => project.id === name || project.name.toLowerCase() === name.toLowerCase());
  if (!found) throw new CliFailure(EXIT.notFound, `You have no project called ${name}. See: flotilla whoami`);
  return found;
}
