import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FEATURES } from '../../features.ts';
import { listTables } from '../../platform/features/index.ts';

const SOURCES = join(import.meta.dirname, '../..');

it('every manifest is in the list, under the name of its folder', () => {
  const manifests = globSync('{platform,modules/*}/*/feature.ts', { cwd: SOURCES });
  const names = manifests.map((path) => path.replace(/^modules\//, '').replace(/\/feature\.ts$/, ''));
  expect(FEATURES.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});

it('two features cannot declare the same table', () => {
  const twice = { name: 'test/twice', tables: { groups: { scope: 'policies', backup: true } } } as const;
  expect(() => listTables([...FEATURES, twice])).toThrow(
    'table groups is declared by identity/groups and by test/twice',
  );
});
