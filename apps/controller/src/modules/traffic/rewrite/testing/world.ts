import { packLearner } from '@flotilla/collector';
import type { Db } from '@flotilla/db';
import { Learner, toOperationId } from '@flotilla/inventory';
import { storeLearner } from '../../collector/learner-store.ts';
import { applyBatches, createDelta } from '../../inventory/testing/index.ts';

/** Stores what a collector would have learned from these paths. */
export async function learn(
  db: Db,
  project: string,
  { host, paths }: { host: string; paths: readonly string[] },
): Promise<void> {
  const learner = new Learner();
  for (const path of paths)
    learner.observe({ method: 'GET', host, segments: path.split('/').slice(1), answer: 'answered' });
  learner.settle();
  const state = packLearner(learner);
  if (state === undefined) throw new Error('too many places');
  await storeLearner(db, project, {
    collector: 'test',
    state: Buffer.from(state),
    places: learner.nodes,
    at: new Date(),
  });
}

let sequence = 0;

/** Counts requests of each name, as a collector would. */
export async function count(
  db: Db,
  project: string,
  names: readonly string[],
  more: Parameters<typeof createDelta>[1] = {},
) {
  sequence += 1;
  const batch = { projectId: project, clientId: SENDER, serviceId: SENDER, epoch: 'e', sequence };
  const deltas = names.map((name) => createDelta(name, more));
  await applyBatches(db, [{ ...batch, deltas, now: new Date() }]);
}

const SENDER = '01900000-0000-7000-8000-000000000001';

export const idOf = (project: string, host: string, normalizedPath: string) =>
  toOperationId(project, { method: 'GET', host, normalizedPath, operation: '' });

export async function sumSeen(db: Db, project: string) {
  const row = await db
    .selectFrom('inventory_operations')
    .select(({ fn }) => [fn.sum<number>('seen').as('seen'), fn.countAll<number>().as('rows')])
    .where('project_id', '=', project)
    .executeTakeFirstOrThrow();
  return { seen: Number(row.seen), rows: Number(row.rows) };
}
