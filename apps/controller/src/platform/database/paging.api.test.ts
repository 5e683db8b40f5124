import { createId } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createControllerDatabase } from '../../testing/database.ts';
import { executePage, type ListRules, matchesText, parsePage } from './paging.ts';

let database: TestDatabase;
const RULES: ListRules = {
  sortable: { name: 'projects.name', created_at: 'projects.created_at' },
  defaultSort: 'name',
  id: 'projects.id',
};

beforeAll(async () => {
  database = await createControllerDatabase();
  const at = new Date('2026-01-01T00:00:00Z');
  const rows = Array.from({ length: 23 }, (_, i) => ({
    id: createId(),
    name: `p${String(i).padStart(2, '0')}_x`,
    description: null,
    created_at: i < 10 ? at : new Date(at.getTime() + 1000),
    updated_at: at,
  }));
  await database.db.insertInto('projects').values(rows).execute();
});
afterAll(() => database.close());

async function walk(sort: string | undefined, limit: number): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = parsePage({ sort, limit, cursor }, RULES);
    const listed = await executePage(database.db.selectFrom('projects').select('projects.name'), page);
    names.push(...listed.rows.map(({ name }) => name));
    expect(Object.keys(listed.rows[0] ?? {})).toEqual(['name']);
    cursor = listed.next_cursor ?? undefined;
  } while (cursor);
  return names;
}

describe('the paging of lists', () => {
  it('returns every row once, for any page size and order', async () => {
    const names = await walk(undefined, 23);
    expect(names).toHaveLength(23);
    for (const limit of [1, 5, 22]) expect(await walk('name', limit)).toEqual(names);
    expect(await walk('-name', 4)).toEqual(names.toReversed());
    const mixed = await walk('-created_at,name', 3);
    expect(mixed).toEqual([...names.slice(10), ...names.slice(0, 10)]);
  });

  it('refuses unsortable fields and forged cursors', async () => {
    expect(() => parsePage({ sort: 'password_hash' }, RULES)).toThrow(/cannot be sorted by/);
    expect(() => parsePage({ sort: 'constructor' }, RULES)).toThrow(/cannot be sorted by/);
    expect(() => parsePage({ cursor: 'rubbish' }, RULES)).toThrow(/not a cursor/);
    const forged = Buffer.from(JSON.stringify(['not a time', 'not an id'])).toString('base64url');
    const bad = parsePage({ sort: 'created_at', cursor: forged }, RULES);
    await expect(executePage(database.db.selectFrom('projects').select('projects.name'), bad)).rejects.toThrow(
      /not a cursor/,
    );
  });

  it('searches text literally, not as a pattern', async () => {
    const find = (text: string) =>
      database.db
        .selectFrom('projects')
        .select('name')
        .where(matchesText(['projects.name'], text))
        .execute();
    expect(await find('P01_')).toHaveLength(1);
    expect(await find('%')).toHaveLength(0);
    expect(await find('_')).toHaveLength(23);
  });
});
