import { expect, it } from 'vitest';
import { actorOf, groupRecent, phraseOf } from './recent.ts';

const audited = (action: string, type: string | null, name: string | null) => ({
  kind: 'audit' as const,
  id: 'e',
  at: '2026-01-01T00:00:00.000Z',
  actor: 'admin',
  action,
  resource: { type, id: 'r', name },
  outcome: 'done',
});

it.each([
  ['service.create', 'service', 'demo', 'created service demo'],
  ['document.replace', 'virtual_hosts', 'web', 'changed virtual host web'],
  ['policy.replace', 'policy', 'p', 'changed policy p'],
  ['api_token.delete', 'api_token', 't', 'deleted API token t'],
  ['command.dispatch', 'service', 'demo', 'sent a command to service demo'],
  ['document.apply', 'documents', null, 'applied documents '],
  ['client.enrol', 'client', 'edge', 'enrolled client edge'],
  ['profile.password', 'user', 'admin', 'changed own password '],
  ['newer.thing_done', 'newer', 'x', 'newer thing done x'],
])('the phrase of %s is in words', (action, type, name, words) => {
  const phrase = phraseOf(audited(action, type, name));
  expect(`${phrase.words} ${phrase.name}`).toBe(words);
});

it('changes are described for users who may not read the audit log', () => {
  const change = { id: 'd', at: '2026-01-01T00:00:00.000Z', actor: 'eve', name: 'web', revision: 3 };
  expect(phraseOf({ ...change, kind: 'document', collection: 'virtual_hosts', version: '1' })).toEqual({
    words: 'changed virtual host',
    name: 'web',
  });
  expect(phraseOf({ ...change, kind: 'policy' }).words).toBe('changed policy');
});

it('consecutive equal changes of one actor are grouped', () => {
  const applied = audited('document.apply', 'documents', null);
  const created = audited('service.create', 'service', 'demo');
  const byEve = { ...applied, actor: 'eve' };
  const groups = groupRecent([applied, applied, byEve, created, applied]);
  expect(groups.map(({ change, count }) => [actorOf(change), count])).toEqual([
    ['admin', 2],
    ['eve', 1],
    ['admin', 1],
    ['admin', 1],
  ]);
});

it('an enrolling host is not shown by the ID of its client', () => {
  expect(actorOf({ ...audited('client.enrol', 'client', 'edge'), actor: 'r' })).toBe('A host');
  expect(actorOf(audited('client.enrol', 'client', 'edge'))).toBe('admin');
  expect(actorOf({ ...audited('client.enrol', 'client', 'edge'), actor: null })).toBe('Unknown');
});
