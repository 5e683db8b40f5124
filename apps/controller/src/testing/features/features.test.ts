import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SETTINGS } from '@flotilla/contract';
import { defineMigration } from '@flotilla/db';
import { expect, it } from 'vitest';
import { FEATURES } from '../../features.ts';
import { defineFeature, listTables, mergeMigrations, orderFeatures } from '../../platform/features/index.ts';

const SOURCES = join(import.meta.dirname, '../..');

it('every manifest is in the list, under the name of its folder', () => {
  const manifests = globSync('{platform,modules/*}/*/feature.ts', { cwd: SOURCES });
  const names = manifests.map((path) => path.replace(/^modules\//, '').replace(/\/feature\.ts$/, ''));
  expect(FEATURES.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});

it('the row type of every table is in the folder of the feature that declares it', () => {
  const declared = FEATURES.flatMap(({ name, tables = {} }) => Object.keys(tables).map((table) => `${name}: ${table}`));
  const typed = globSync('{platform,modules/*}/*/tables.ts', { cwd: SOURCES }).flatMap((path) => {
    const feature = path.replace(/^modules\//, '').replace(/\/tables\.ts$/, '');
    const [, members = ''] =
      /interface Tables \{\n(.*?)\n {2}\}/s.exec(readFileSync(join(SOURCES, path), 'utf8')) ?? [];
    return [...members.matchAll(/^ {4}(\w+):/gm)].map(([, table]) => `${feature}: ${table}`);
  });
  const untyped = ['platform/database: kysely_migration', 'platform/database: kysely_migration_lock'];
  // The package of the database uses the outbox itself.
  const inPackage = ['platform/events: outbox'];
  expect([...typed, ...untyped, ...inPackage].toSorted()).toEqual(declared.toSorted());
});

/** The names that a file exports from the files that `from` matches. Types are not listed. */
function listReExports(path: string, from: RegExp): string[] {
  const text = readFileSync(join(SOURCES, path), 'utf8');
  return [...text.matchAll(/^export \{([^}]*)\} from '([^']+)';/gm)]
    .filter(([, , file = '']) => from.test(file))
    .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.replace(/^.* as /, ''));
}

it('the public interface of a module exports no function of a store', () => {
  for (const path of globSync('modules/*/public.ts', { cwd: SOURCES })) {
    const shared = new Set(listReExports(path, /index\.ts$/));
    expect(listReExports(path, /store\.ts$/), path).toEqual([]);
    const ofStores = globSync(`${dirname(path)}/*/index.ts`, { cwd: SOURCES }).flatMap((index) =>
      listReExports(index, /store\.ts$/).map((name) => `${index}: ${name}`),
    );
    expect(ofStores.filter((name) => shared.has(name.replace(/^.*: /, '')))).toEqual([]);
  }
  expect(listReExports('modules/configuration/public.ts', /index\.ts$/)).toContain('findDocumentHeads');
});

it('two features cannot declare the same table', () => {
  const twice = { name: 'test/twice', tables: { groups: { scope: 'policies', backup: true } } } as const;
  expect(() => listTables([...FEATURES, twice])).toThrow(
    'table groups is declared by identity/groups and by test/twice',
  );
});

it('one feature reads each topic of the outbox, and settings that decide who may listen exist', () => {
  const topics = FEATURES.flatMap(({ news = {} }) => Object.keys(news));
  expect(topics.toSorted()).toEqual([...new Set(topics)].toSorted());
  const keys = SETTINGS.map(({ key }) => key);
  for (const { name, listenerRights } of FEATURES)
    expect(keys, name).toEqual(expect.arrayContaining([...(listenerRights?.settings ?? [])]));
});

it('a feature comes behind those that its rows refer to, however they are listed', () => {
  const [first, second] = [defineFeature({ name: 'b' }), defineFeature({ name: 'a', after: ['b'] })];
  expect(orderFeatures([second, first])).toEqual([first, second]);
});

it('features that refer to each other or to an unknown one are refused', () => {
  expect(() => orderFeatures([{ name: 'a', after: ['b'] }])).toThrow('feature a refers to b, which does not exist');
  const circle = [defineFeature({ name: 'a', after: ['b'] }), defineFeature({ name: 'b', after: ['a'] })];
  expect(() => orderFeatures(circle)).toThrow('features refer to each other: a, b, a');
});

it('two features cannot declare the same migration', () => {
  const feature = defineFeature({ name: 'a', migrations: { '9999-later': defineMigration('select 1') } });
  expect(Object.keys(mergeMigrations([feature]))).toEqual(['9999-later']);
  expect(() => mergeMigrations([feature, feature])).toThrow('migration 9999-later is declared twice');
});
