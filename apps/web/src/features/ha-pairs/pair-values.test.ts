import { describe, expect, it } from 'vitest';
import type { Candidate } from './model.ts';
import {
  addMember,
  findProblems,
  type MemberValues,
  NEW_PAIR,
  type PairValues,
  toCreateBody,
  toUpdateBody,
  toValues,
} from './pair-values.ts';
import { createPair } from './testing/pair.ts';

const candidate = (name: string): Candidate => ({
  client_id: `id-of-${name}`,
  name,
  hostname: name,
  connected: true,
  service_count: 0,
  hb_addrs: {},
  selectable: true,
});
const members = addMember(addMember([], candidate('edge-1')), candidate('edge-2'));
const valid: PairValues = { ...NEW_PAIR, name: 'edge', members };
const kinds = (change: Partial<PairValues>) => findProblems({ ...valid, ...change }).map(({ kind }) => kind);

describe('the problems of a pair', () => {
  it('do not exist for valid values', () => {
    expect(kinds({})).toEqual([]);
    expect(kinds({ fence: '192.0.2.254\n\n 198.51.100.1,203.0.113.255' })).toEqual([]);
    expect(kinds({ members: members.slice(0, 1) })).toEqual([]);
  });

  it.each<[string, Partial<PairValues>]>([
    ['name', { name: ' ' }],
    ['members', { members: [] }],
    ['same_priority', { members: members.map((one) => ({ ...one, priority: 7 })) }],
    ['interval', { interval: 99 }],
    ['interval', { interval: 200.5 }],
    ['interval', { interval: '' }],
    ['misses', { misses: 11 }],
    ['fence', { fence: '192.0.2.256' }],
    ['fence', { fence: '2001:db8::1' }],
    ['fence', { fence: '192.0.2.1\n'.repeat(9) }],
    ['next_hops', { nextHops: 'gateway' }],
    ['next_hops', { nextHops: '192.0.2.1\n'.repeat(17) }],
    ['priority', { members: members.slice(1).map((one) => ({ ...one, priority: 1001 })) }],
    ['data', { members: members.slice(1).map((one) => ({ ...one, data: '192.0.2.1/24' })) }],
  ])('name %s for %j', (kind, change) => {
    expect(kinds(change)).toEqual([kind]);
  });
});

it('the second member gets another priority, also after the first one was removed', () => {
  expect(members.map(({ priority }) => priority)).toEqual([200, 100]);
  expect(addMember(members.slice(1), candidate('edge-3')).map(({ priority }) => priority)).toEqual([100, 200]);
});

it('a new pair is sent with its heartbeats, and only with overrides that were typed', () => {
  const [first, second] = members as [MemberValues, MemberValues];
  const typed = { ...valid, members: [{ ...first, data: ' 192.0.2.1 ' }, second], fence: '192.0.2.254', misses: 3 };
  expect(toCreateBody(typed, 'p')).toEqual({
    name: 'edge',
    project: 'p',
    members: [
      { client_id: 'id-of-edge-1', priority: 200, data_override: '192.0.2.1' },
      { client_id: 'id-of-edge-2', priority: 100 },
    ],
    hb: { interval_ms: 200, misses: 3 },
    fence_targets: ['192.0.2.254'],
    next_hops: [],
    preempt: false,
  });
});

describe('the change of a pair', () => {
  const before = toValues(createPair());

  it('is empty as long as nothing differs', () => {
    expect(toUpdateBody(before, before)).toEqual({});
    expect(toUpdateBody(before, { ...before, fence: ` ${before.fence}\n\n`, name: `${before.name} ` })).toEqual({});
  });

  it('contains only what differs, with the empty list and the empty text to remove something', () => {
    const [first, second] = before.members as [MemberValues, MemberValues];
    const typed = {
      ...before,
      interval: 100,
      fence: '',
      preempt: true,
      members: [{ ...first, data: '' }, second],
    };
    expect(toUpdateBody(before, typed)).toEqual({
      hb: { interval_ms: 100 },
      fence_targets: [],
      preempt: true,
      members: [{ client_id: first.clientId, data_override: '' }],
    });
  });
});
