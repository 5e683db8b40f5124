import { createId } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createControllerDatabase } from '../../../testing/database.ts';
import { findLearnedElsewhere, forgetOldLearners, readLearned, storeLearner, takeLearner } from './learner-store.ts';
import { createController, createWorld } from './testing/world.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createControllerDatabase();
});
afterAll(() => database?.close());

const save = (project: string, collector: string, text: string, at = new Date()) =>
  storeLearner(database.db, project, { collector, state: Buffer.from(text), places: 1, at });

it('each collector stores what it has learned itself, and reads what the others have', async () => {
  const { db } = database;
  const { project } = await createWorld(database, 'shared');
  const [one, other] = [await createController(database), await createController(database)];
  await save(project, one, 'of one');
  await save(project, other, 'of other');
  expect(String(await takeLearner(db, project, one))).toBe('of one');
  const elsewhere = await findLearnedElsewhere(db, project, one);
  expect((await elsewhere.load()).map(String)).toEqual(['of other']);
  await save(project, other, 'of other, later', new Date(Date.now() + 1000));
  expect((await findLearnedElsewhere(db, project, one)).version).not.toBe(elsewhere.version);
  expect((await readLearned(db, project)).map(String).sort()).toEqual(['of one', 'of other, later']);
});

it('a collector that starts continues what one that has ended had learned, and nobody else does', async () => {
  const { db } = database;
  const { project } = await createWorld(database, 'ended');
  await save(project, createId(), 'of the dead');
  const [one, other] = [await createController(database), await createController(database)];
  const taken = await Promise.all([takeLearner(db, project, one), takeLearner(db, project, other)]);
  expect(taken.filter((state) => state !== undefined).map(String)).toEqual(['of the dead']);
  expect(await readLearned(db, project)).toHaveLength(1);
});

it('a collector does not take what a living one has learned', async () => {
  const { project } = await createWorld(database, 'alive');
  await save(project, await createController(database), 'of the living');
  expect(await takeLearner(database.db, project, await createController(database))).toBeUndefined();
});

it('what ended collectors had learned is deleted after a week, unless nobody has learned anything since', async () => {
  const { db } = database;
  const [busy, idle] = [await createWorld(database, 'busy'), await createWorld(database, 'idle')];
  const old = new Date(Date.now() - 8 * 86_400_000);
  for (const { project } of [busy, idle]) await save(project, createId(), 'old', old);
  await save(busy.project, await createController(database), 'new');
  await forgetOldLearners(db, new Date());
  expect((await readLearned(db, busy.project)).map(String)).toEqual(['new']);
  expect((await readLearned(db, idle.project)).map(String)).toEqual(['old']);
});
