import { RECORD_CHOICES, RENAME_SUFFIX, RENAMED_SECTIONS, RESTORE_SECTIONS } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { findFitting, isException, listChoices, readException, toRecords } from './exceptions.ts';

const listener = { kind: 'documents', name: '1.39.3/listeners/web', choice: 'skip' } as const;

it('what is renamed has the name of before and a word behind it, until another is given', () => {
  expect(readException(listener)).toEqual({ choice: 'skip', name: 'web-restored' });
  const renamed = { ...listener, choice: 'rename', as: '1.39.3/listeners/web-2' } as const;
  expect(readException(renamed)).toEqual({ choice: 'rename', name: 'web-2' });
  const schedule = { kind: 'schedules', name: 'nightly (switched off)', choice: 'skip' } as const;
  expect(readException(schedule).name).toBe('nightly-restored');
});

it('only another choice, or another name of what is renamed, makes another plan', () => {
  const planned = readException(listener);
  expect(isException(planned, listener)).toBe(false);
  expect(isException({ ...planned, name: 'x' }, listener)).toBe(false);
  expect(isException({ ...planned, choice: 'replace' }, listener)).toBe(true);
  const renamed = { ...listener, choice: 'rename', as: '1.39.3/listeners/web-2' } as const;
  expect(isException({ choice: 'rename', name: 'web-3' }, renamed)).toBe(true);
});

it('what cannot have another name is not offered one', () => {
  const choicesOf = (kind: string, name: string) => listChoices({ kind, name, choice: 'skip' });
  expect(choicesOf('documents', '1.39.3/listeners/web')).toContain('rename');
  for (const [kind, name] of [
    ['documents', '1.39.3/filters/jwt'],
    ['documents', '1.39.3/virtual_hosts/main/www'],
    ['settings', 'cloud/north'],
    ['permissions', 'user ann may change document all'],
  ] as const)
    expect(choicesOf(kind, name), name).toEqual(['skip', 'replace']);
});

it('what goes with another record has no choice of its own, and no request names it', () => {
  const host = {
    kind: 'documents',
    name: '1.39.3/virtual_hosts/main/www',
    choice: 'rename',
    as: '1.39.3/virtual_hosts/main-2/www',
  } as const;
  expect(listChoices(host)).toEqual(['rename']);
  expect(toRecords([host], [readException(host)], {})).toEqual([]);
});

it('a request names records as the plan does, and a new name only of what is renamed', () => {
  const policy = { kind: 'policies', name: 'guard', choice: 'skip' } as const;
  const chosen = [
    { choice: 'rename', name: 'web-2' },
    { choice: 'replace', name: 'guard-2' },
  ] as const;
  expect(toRecords([listener, policy], chosen, { on_conflict: 'skip' })).toEqual([
    { section: 'documents', record: '1.39.3/listeners/web', choice: 'rename', name: 'web-2' },
    { section: 'policies', record: 'guard', choice: 'replace' },
  ]);
});

it('of thousands of conflicts a request names those alone that are not as all others, also where a plan had them already', () => {
  const conflicts = Array.from({ length: 3000 }, (_, i) => ({
    kind: 'permissions',
    name: `group team may use service ${i}`,
    choice: i === 7 ? ('skip' as const) : ('replace' as const),
  }));
  const chosen = conflicts.map(readException);
  const seventh = { section: 'permissions', record: 'group team may use service 7', choice: 'skip' };
  expect(toRecords(conflicts, chosen, { on_conflict: 'replace' })).toEqual([seventh]);
  expect(toRecords(conflicts, chosen, { by_section: { permissions: 'replace' } })).toEqual([seventh]);
  expect(toRecords(conflicts, chosen, {})).toHaveLength(2999);
});

it('a new name is told only where it is not the one that a record gets by itself', () => {
  const general = { by_section: { documents: 'rename' }, suffix: '-old' } as const;
  const recordsOf = (name: string) => toRecords([listener], [{ choice: 'rename', name }], general);
  expect(recordsOf('web-old')).toEqual([]);
  expect(recordsOf('web-restored')).toMatchObject([{ choice: 'rename', name: 'web-restored' }]);
});

it('knows the sections, choices and the word behind a name that the API knows', () => {
  for (const kind of RESTORE_SECTIONS) {
    const conflict = { kind, name: 'a', choice: 'skip' } as const;
    const isNamed = RENAMED_SECTIONS.some((one) => one === kind);
    expect(listChoices(conflict), kind).toEqual(RECORD_CHOICES.filter((choice) => isNamed || choice !== 'rename'));
    expect(toRecords([conflict], [{ choice: 'replace', name: 'a' }], {})).toMatchObject([{ section: kind }]);
  }
  expect(readException({ kind: 'groups', name: 'a', choice: 'skip' }).name).toBe(`a${RENAME_SUFFIX}`);
});

it('a search finds records by words of their kind, their name and their new name, in the order of the plan', () => {
  const host = {
    kind: 'documents',
    name: '1.39.3/virtual_hosts/main/www',
    choice: 'rename',
    as: '1.39.3/x/main-2/www',
  };
  const conflicts = [listener, { ...host, choice: 'rename' as const }, { ...listener, kind: 'policies', name: 'Web' }];
  const find = (search: string) => findFitting(conflicts, search).map(({ at }) => at);
  expect(find('')).toEqual([0, 1, 2]);
  expect(find('web')).toEqual([0, 2]);
  expect(find('  WEB  doc ')).toEqual([0]);
  expect(find('main-2')).toEqual([1]);
  expect(find('nothing')).toEqual([]);
});
