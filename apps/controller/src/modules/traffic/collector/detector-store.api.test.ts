import { createId } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createControllerDatabase } from '../../../testing/database.ts';
import { forgetOldDetectors, storeDetectors, takeDetectors } from './detector-store.ts';
import { createController, createWorld } from './testing/world.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createControllerDatabase();
});
afterAll(() => database?.close());

const DAY_MS = 86_400_000;
const save = (project: string, collector: string, text: string, at = new Date()) =>
  storeDetectors(database.db, project, { collector, state: Buffer.from(text), lastReset: 0, at });
const take = async (project: string, collector: string) => {
  const taken = await takeDetectors(database.db, project, collector);
  return taken && String(taken.state);
};
const countStates = async (project: string) =>
  (await database.db.selectFrom('collector_detectors').select('collector').where('project_id', '=', project).execute())
    .length;

describe('stored states of detectors', () => {
  it('belong to one collector while it runs', async () => {
    const { project } = await createWorld(database, 'each its own');
    const [one, other] = [await createController(database), await createController(database)];
    await save(project, one, 'of one');
    expect(await take(project, other)).toBeUndefined();
    await save(project, other, 'of other');
    expect([await take(project, one), await take(project, other)]).toEqual(['of one', 'of other']);
  });

  it('of a collector that has ended go to one of those that start, and only the newest', async () => {
    const { project } = await createWorld(database, 'ended');
    await save(project, createId(), 'older', new Date(Date.now() - 1000));
    await save(project, createId(), 'newer');
    const starting = await Promise.all([1, 2, 3].map(() => createController(database)));
    const [first, ...rest] = starting;
    expect(await take(project, first ?? '')).toBe('newer');
    const taken = await Promise.all(rest.map((id) => take(project, id)));
    expect(taken.filter((state) => state === 'newer')).toEqual([]);
    expect(taken.filter((state) => state === 'older')).toHaveLength(1);
  });

  it('are not visible to another project, and are deleted with their own', async () => {
    const [one, other] = [await createWorld(database, 'deleted'), await createWorld(database, 'stays')];
    const controller = await createController(database);
    await save(one.project, controller, 'of one');
    await save(other.project, controller, 'of other');
    expect(await take(other.project, controller)).toBe('of other');
    for (const table of ['services', 'clients'] as const)
      await database.db.deleteFrom(table).where('project_id', '=', one.project).execute();
    await database.db.deleteFrom('projects').where('id', '=', one.project).execute();
    expect([await countStates(one.project), await countStates(other.project)]).toEqual([0, 1]);
    // A thread that has not noticed yet.
    await save(one.project, controller, 'too late');
    expect(await countStates(one.project)).toBe(0);
  });

  it('are deleted when no detector would read them any more', async () => {
    const { project } = await createWorld(database, 'old');
    await save(project, createId(), 'old', new Date(Date.now() - 7.1 * DAY_MS));
    await save(project, createId(), 'of last week', new Date(Date.now() - 6.9 * DAY_MS));
    await forgetOldDetectors(database.db, new Date());
    expect(await take(project, await createController(database))).toBe('of last week');
    expect(await countStates(project)).toBe(1);
  });
});
