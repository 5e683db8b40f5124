import type { TestDatabase } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createControllerDatabase } from '../../../testing/database.ts';
import { createWorld } from '../collector/testing/world.ts';
import { findResets, forgetOldResets, noteReset } from './reset-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createControllerDatabase();
});
afterAll(() => database?.close());

const DAY_MS = 86_400_000;

describe('resets', () => {
  const note = (project: string, operations: 'all' | readonly string[]) =>
    database.db.transaction().execute((tx) => noteReset(tx, project, operations));

  it('are found after a number, joined, and only those of the project', async () => {
    const [one, other] = [await createWorld(database, 'resets'), await createWorld(database, 'no resets')];
    await note(one.project, ['a']);
    const { last } = await findResets(database.db, one.project);
    await note(one.project, ['b', 'c']);
    await note(one.project, ['c', "d'"]);
    await note(one.project, []);
    await note(other.project, ['x']);
    const found = await findResets(database.db, one.project, last);
    expect(found.operations).toEqual(['b', 'c', "d'"]);
    expect(found.last).toBeGreaterThan(last);
    expect(await findResets(database.db, one.project, found.last)).toEqual({ last: found.last, operations: [] });
  });

  it('of all operations cover every other one', async () => {
    const { project } = await createWorld(database, 'reset all');
    await note(project, ['a']);
    await note(project, 'all');
    await note(project, ['b']);
    expect((await findResets(database.db, project)).operations).toBe('all');
  });

  it('are deleted later than any state that would have to follow them', async () => {
    const { project } = await createWorld(database, 'old resets');
    await note(project, ['a']);
    await forgetOldResets(database.db, new Date(Date.now() + 7.5 * DAY_MS));
    expect((await findResets(database.db, project)).operations).toEqual(['a']);
    await forgetOldResets(database.db, new Date(Date.now() + 8.5 * DAY_MS));
    expect((await findResets(database.db, project)).operations).toEqual([]);
  });
});
