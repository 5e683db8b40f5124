import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { isControllerLive } from '../../../platform/presence/index.ts';

/**
 * Gives a collector what it has learned of a project, and returns these columns of it. A collector that starts continues the row of one that has ended: of several, the
 * newest. Rows of collectors that run stay theirs.
 */
export async function adoptLearned<Row>(
  db: Db,
  table: 'collector_learners' | 'collector_detectors',
  { project, collector, columns }: { project: string; collector: string; columns: readonly (keyof Row & string)[] },
): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    with chosen as (
      select c.collector from ${sql.table(table)} c
      where c.project_id = ${project} and (c.collector = ${collector} or not exists (
        select from controllers where controllers.id::text = c.collector and ${isControllerLive}))
      order by c.collector = ${collector} desc, c.updated_at desc limit 1 for update skip locked
    )
    update ${sql.table(table)} c set collector = ${collector}
    from chosen where c.project_id = ${project} and c.collector = chosen.collector
    returning ${sql.join(columns.map((column) => sql.ref(`c.${column}`)))}`.execute(db);
  return rows[0];
}
