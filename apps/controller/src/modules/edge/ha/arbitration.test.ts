import { describe, expect, it } from 'vitest';
import { findYielding, isLasting } from './arbitration.ts';
import { ago, type Given, NOW, pair } from './testing/pairs.ts';

/** Two active members that do not hear each other, apart from what is given. */
const deaf = ({ report, ...more }: Given): Given => ({
  report: { role: 'active', peer_ok: false, peer_role: null, epoch: 5, ...report },
  ...more,
});
const find = (a: Given = {}, b: Given = {}) => {
  const found = findYielding(pair(deaf(a), deaf(b)), NOW);
  return found && [found.member.name, found.isRepeated];
};

describe('of two active members that do not hear each other', () => {
  it.each<[string, Given, Given, string]>([
    ['the older term', {}, { report: { epoch: 6 } }, 'a'],
    ['the older term, whatever its priority', { report: { epoch: 6 } }, { priority: 900 }, 'b'],
    ['the lower priority in the same term', {}, {}, 'b'],
  ])('the one with %s yields', (_, a, b, name) => {
    expect(find(a, b)).toEqual([name, false]);
  });

  it('the one that has yielded goes on to do so while the other one is active', () => {
    const yielding = { report: { role: 'standby', reason: 'arbitrated' } } as const;
    expect(find(yielding)).toEqual(['a', true]);
    expect(find({}, yielding)).toEqual(['b', true]);
  });
});

describe('no member yields', () => {
  const standby = { role: 'standby', reason: 'peer_heard' } as const;
  it.each<[string, Given, Given]>([
    ['if one hears the other', { report: { peer_ok: true } }, {}],
    ['if only one is active', {}, { report: standby }],
    ['if nobody is active', { report: { role: 'standby', reason: 'arbitrated' } }, { report: standby }],
    ['if a report is old', {}, { reportedAt: ago(16) }],
    ['if one is not connected', { connected: false }, {}],
    ['if a daemon does not answer', {}, { report: { daemon: 'stale' } }],
    ['if a daemon does not run', { report: { daemon: 'absent' } }, {}],
    ['if the other one hands over', { report: { role: 'demoting' } }, {}],
  ])('%s', (_, a, b) => {
    expect(find(a, b)).toBeUndefined();
  });

  it('if there is one member', () => {
    expect(findYielding(pair(deaf({}), null), NOW)).toBeUndefined();
  });
});

it('two active members are lasting once both have reported after the bound', () => {
  const seen = (a: number, b: number) => isLasting(pair({ reportedAt: ago(a) }, { reportedAt: ago(b) }), ago(10));
  expect(seen(6, 6)).toBe(true);
  expect(seen(7, 6)).toBe(false);
  expect(seen(6, 8)).toBe(false);
});
