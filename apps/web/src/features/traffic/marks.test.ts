import type { AuditEntryView } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { fromAudit, fromRecent } from './marks.ts';

const entry = (action: string, outcome: AuditEntryView['outcome'] = 'done') =>
  ({
    id: action,
    at: '2026-01-01T00:00:00.000Z',
    actor: { kind: 'user', id: 'u', name: 'eve', role: 'admin' },
    action,
    resource: { type: 'clusters', id: null, name: 'web' },
    outcome,
  }) as AuditEntryView;

it('only successful changes of what proxies run are marked', () => {
  const marks = fromAudit([entry('document.replace'), entry('session.login'), entry('document.delete', 'denied')]);
  expect(marks.map(({ actor, words }) => `${actor} ${words}`)).toEqual(['eve changed cluster web']);
});

it('users without the audit log see the recent changes within the range', () => {
  const change = { kind: 'document' as const, id: 'd', actor: 'eve', name: 'web', collection: 'clusters', revision: 2 };
  const marks = fromRecent(
    [
      { ...change, at: '2026-01-01T00:30:00.000Z' },
      { ...change, at: '2026-01-01T02:00:00.000Z' },
    ],
    { from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T01:00:00.000Z' },
  );
  expect(marks.map(({ words }) => words)).toEqual(['changed cluster web']);
});
