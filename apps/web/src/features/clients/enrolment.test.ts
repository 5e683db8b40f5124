import { expect, it } from 'vitest';
import { findToken, followEnrolment, formatLeft } from './enrolment.ts';
import type { EnrolmentToken } from './model.ts';

const EXPIRES = '2026-01-01T01:00:00.000Z';
const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const created = { id: 't1', expires_at: EXPIRES };
const open: EnrolmentToken = {
  id: 't1',
  project: 'p',
  note: null,
  labels: {},
  status: 'open',
  created_by: 'admin',
  secrets: [{ prefix: 'flte_abcdef', created_at: '2026-01-01T00:00:00.000Z', expires_at: null }],
  created_at: '2026-01-01T00:00:00.000Z',
  expires_at: EXPIRES,
  used_at: null,
  client_id: null,
};

it('enrolment is waiting while the token is open, also before the tokens are loaded', () => {
  expect(followEnrolment(created, undefined, NOW)).toEqual({ phase: 'waiting', leftMs: 3_600_000 });
  expect(followEnrolment(created, open, NOW)).toEqual({ phase: 'waiting', leftMs: 3_600_000 });
});

it('a used token names the client that joined, even after the token has expired', () => {
  const used = { ...open, status: 'used' as const, client_id: 'c1' };
  expect(followEnrolment(created, used, NOW + 7_200_000)).toEqual({ phase: 'joined', clientId: 'c1' });
});

it('an expired token is distinguished from a withdrawn one', () => {
  expect(followEnrolment(created, open, Date.parse(EXPIRES))).toEqual({ phase: 'expired' });
  expect(followEnrolment(created, null, NOW)).toEqual({ phase: 'withdrawn' });
});

it('a token is not considered withdrawn while older pages or a pending answer may contain it', () => {
  const others = Array.from({ length: 200 }, (_, i) => ({ ...open, id: `newer${i}` }));
  const read = { data: {}, isPlaceholderData: false, hasNextPage: false };
  const find = (rows: EnrolmentToken[], query: object) => findToken({ rows, query: { ...read, ...query } }, 't1');
  expect(find(others, { hasNextPage: true })).toBeUndefined();
  expect(find([], { data: undefined })).toBeUndefined();
  expect(find(others, { isPlaceholderData: true })).toBeUndefined();
  expect(find(others, {})).toBeNull();
  expect(find([...others, open], {})).toBe(open);
  expect(find([open], { hasNextPage: true })).toBe(open);
});

it('the remaining time has a suitable unit', () => {
  expect([0, 61_000, 3_599_000, 3_600_000, 11_100_000, 604_799_000].map(formatLeft)).toEqual([
    '0:00',
    '1:01',
    '59:59',
    '1 h 00 min',
    '3 h 05 min',
    '6 d 23 h',
  ]);
});
