import { expect, it } from 'vitest';
import { judgeDecision } from './decision.ts';

const [earlier, later] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];

it.each([
  [{ current: true, revision: 3 }, { kind: 'now' }],
  [
    { current: false, revision: 2 },
    { kind: 'earlier', revision: 2 },
  ],
  [{ current: false, revision: null }, { kind: 'unknown' }],
  [{ current: null, revision: null }, { kind: 'unknown' }],
  [undefined, { kind: 'unknown' }],
])('a request before the last change of the policy, found as %o', (found, decision) => {
  expect(judgeDecision(found, { decidedAt: earlier, changedAt: later })).toEqual(decision);
});

it('a request after the last change of the policy was decided by the current text, whatever the revisions show', () => {
  const unknown = { current: null, revision: null };
  expect(judgeDecision(unknown, { decidedAt: later, changedAt: earlier })).toEqual({ kind: 'now' });
  expect(judgeDecision(unknown, { decidedAt: undefined, changedAt: earlier })).toEqual({ kind: 'unknown' });
});
