import type { Db } from '@flotilla/db';

/** Counts the clients of one project, or of all. */
export async function countClients(db: Db, project: string | undefined): Promise<number> {
  let select = db.selectFrom('clients').select((eb) => eb.fn.countAll<number>().as('count'));
  if (project !== undefined) select = select.where('project_id', '=', project);
  return (await select.executeTakeFirstOrThrow()).count;
}
