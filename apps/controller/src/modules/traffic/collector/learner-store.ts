import type { Db } from '@flotilla/db';

export async function readLearner(db: Db, project: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('collector_learners')
    .select('state')
    .where('project_id', '=', project)
    .executeTakeFirst();
  return row?.state;
}

/** Does nothing for a project that was deleted in the meantime. */
export async function storeLearner(
  db: Db,
  project: string,
  { state, places, at }: { readonly state: Buffer; readonly places: number; readonly at: Date },
): Promise<void> {
  await db
    .insertInto('collector_learners')
    .columns(['project_id', 'state', 'places', 'updated_at'])
    .expression((eb) =>
      eb
        .selectFrom('projects')
        .select(({ val }) => [
          'id',
          val(state).$castTo<Buffer>().as('state'),
          val(places).$castTo<number>().as('places'),
          val(at).$castTo<Date>().as('updated_at'),
        ])
        .where('id', '=', project),
    )
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ state, places, updated_at: at }))
    .execute();
}
