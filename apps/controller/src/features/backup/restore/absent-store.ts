import type { Tx } from '@flotilla/db';

/** Ids of the project's clients, and its tokens as a plan names them. */
export async function findNamesHere(
  tx: Tx,
  project: string,
): Promise<{ clients: ReadonlySet<string>; tokens: ReadonlySet<string> }> {
  const clients = await tx.selectFrom('clients').select('id').where('project_id', '=', project).execute();
  const apiTokens = await tx.selectFrom('api_tokens').select('name').where('project_id', '=', project).execute();
  const serviceTokens = await tx
    .selectFrom('service_tokens')
    .select(['kind', 'name'])
    .where('project_id', '=', project)
    .execute();
  return {
    clients: new Set(clients.map(({ id }) => id)),
    tokens: new Set([
      ...apiTokens.map(({ name }) => name),
      ...serviceTokens.map(({ kind, name }) => `${kind} ${name}`.trim()),
    ]),
  };
}
