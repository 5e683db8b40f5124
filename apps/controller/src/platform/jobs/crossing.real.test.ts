import { createId } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createControllerDatabase } from '../../testing/database.ts';
import { type ClaimedJob, claimJobs, inLease, takeBackLost } from './claim-store.ts';
import { endJob, endSmallJobs } from './end-store.ts';
import { cancelJob, insertJobs, type NewJob } from './enqueue-store.ts';
import { SYSTEM } from './testing/jobs.ts';

const LEASE_MS = 60_000;
const ROUNDS = 40;
const PARENTS = 3;
const CHILDREN = 8;

let database: TestDatabase;
beforeAll(async () => {
  database = await createControllerDatabase();
});
afterAll(() => database.close());

function describeJob(parentId: string | null, isSmall: boolean): NewJob {
  const rest = {
    resource: undefined,
    params: {},
    encryptedParams: null,
    lockKey: null,
    runAt: undefined,
    retryOf: null,
  };
  return {
    ...rest,
    id: createId(),
    projectId: null,
    type: isSmall ? 'test.small' : 'test.parent',
    isSmall,
    attemptsMax: 1,
    stepsTotal: 1,
    parentId,
    actor: SYSTEM,
  };
}

/** Creates waiting parents and their children, interleaved: one child of each parent after the other. */
async function makeFamilies(isSmall: boolean): Promise<string[]> {
  const { db } = database;
  const parents = Array.from({ length: PARENTS }, () => describeJob(null, false));
  const children = Array.from({ length: CHILDREN }, () => parents.map(({ id }) => describeJob(id, isSmall))).flat();
  await db.transaction().execute(async (tx) => {
    await insertJobs(tx, parents);
    await insertJobs(tx, children);
    await sql`update jobs set children_total = ${CHILDREN}::int, children_open = ${CHILDREN}::int
      where id = any(${parents.map(({ id }) => id)}::uuid[])`.execute(tx);
  });
  return parents.map(({ id }) => id);
}

async function claimHalves(isSmall: boolean): Promise<readonly [ClaimedJob[], ClaimedJob[]]> {
  const order = { types: ['test.small', 'test.parent'], isSmall, leaseMs: LEASE_MS };
  const limit = (PARENTS * CHILDREN) / 2;
  const one = await claimJobs(database.db, { ...order, worker: createId(), limit });
  const other = await claimJobs(database.db, { ...order, worker: createId(), limit });
  expect([one.length, other.length]).toEqual([limit, limit]);
  return [one, other.toReversed()];
}

const endBatch = (jobs: readonly ClaimedJob[]) =>
  database.db.transaction().execute((tx) =>
    endSmallJobs(
      tx,
      jobs.map(({ id, fence }) => ({ id, fence, status: 'done', errors: [] })),
    ),
  );

async function openChildren(parents: readonly string[]): Promise<number[]> {
  const rows = await database.db.selectFrom('jobs').select('children_open').where('id', 'in', parents).execute();
  return rows.map(({ children_open }) => children_open);
}

it('two workers that end children of the same parents, while these are cancelled, do not deadlock', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const parents = await makeFamilies(true);
    const [one, other] = await claimHalves(true);
    const cancelled = parents.map((id) => database.db.transaction().execute((tx) => cancelJob(tx, id, SYSTEM)));
    // PostgreSQL would break a deadlock with an error in one of these.
    await Promise.all([endBatch(one), endBatch(other), ...cancelled]);
    expect(await openChildren(parents)).toEqual([0, 0, 0]);
    await database.db.deleteFrom('jobs').execute();
  }
});

it('two workers that release the children of a dead worker, while others end theirs, do not deadlock', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const parents = await makeFamilies(false);
    const [lost, held] = await claimHalves(false);
    await sql`update jobs set leased_until = 'epoch' where id = any(${lost.map(({ id }) => id)}::uuid[])`.execute(
      database.db,
    );
    const ends = held.map((job) =>
      inLease(database.db, { id: job.id, fence: job.fence, leaseMs: LEASE_MS }, (tx) =>
        endJob(tx, job, { status: 'done' }),
      ),
    );
    await Promise.all([takeBackLost(database.db), takeBackLost(database.db), ...ends]);
    await takeBackLost(database.db);
    expect(await openChildren(parents)).toEqual([0, 0, 0]);
    await database.db.deleteFrom('jobs').execute();
  }
});
