import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SOURCES = join(import.meta.dirname, '..');
const QUERY = /\.(selectFrom|insertInto|updateTable|deleteFrom)\(/;
const MAY_QUERY = [/(^|\/)(store|views?|tables)\.ts$/, /-(store|views?)\.ts$/, /^platform\/database\//];
const IS_TEST = /\.test\.ts$|(^|\/)testing\//;

/** Lint refuses imports of Kysely; a query builder can also be reached through the type of the database. */
it('only stores, views and the database folder of the platform build queries', () => {
  const files = globSync('**/*.ts', { cwd: SOURCES }).filter((file) => !IS_TEST.test(file));
  const querying = files.filter((file) => QUERY.test(readFileSync(join(SOURCES, file), 'utf8')));
  expect(querying.length).toBeGreaterThan(50);
  expect(querying.filter((file) => !MAY_QUERY.some((pattern) => pattern.test(file)))).toEqual([]);
});
