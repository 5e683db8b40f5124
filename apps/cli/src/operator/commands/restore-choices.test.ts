import { expect, it } from 'vitest';
import { EXIT } from '../exit-codes.ts';
import { readChoices } from './restore-choices.ts';

it('nothing said is to leave what is there', () => {
  expect(readChoices({})).toEqual({ on_conflict: 'skip' });
  expect(readChoices({ replace: true, suffix: '-old' })).toEqual({ on_conflict: 'replace', suffix: '-old' });
});

it('sections and records have choices of their own, whatever their names hold', () => {
  expect(
    readChoices({
      section: ['services=rename', 'groups=skip'],
      record: [
        'documents/1.39.3/virtual_hosts/main/*.example.com:8080=replace',
        'policies/guard=rename:guard-2',
        'permissions/user ann may change document all=skip',
      ],
    }),
  ).toEqual({
    on_conflict: 'skip',
    by_section: { services: 'rename', groups: 'skip' },
    by_record: [
      { section: 'documents', record: '1.39.3/virtual_hosts/main/*.example.com:8080', choice: 'replace' },
      { section: 'policies', record: 'guard', choice: 'rename', name: 'guard-2' },
      { section: 'permissions', record: 'user ann may change document all', choice: 'skip' },
    ],
  });
});

it.each([
  { section: ['services'] },
  { section: ['users=replace'] },
  { section: ['settings=rename'] },
  { section: ['__proto__=replace'] },
  { record: ['policies/guard'] },
  { record: ['guard=replace'] },
  { record: ['policies/guard=delete'] },
])('%o is no choice', (given) => {
  expect(() => readChoices(given)).toThrow(expect.objectContaining({ exitCode: EXIT.usage }));
});
