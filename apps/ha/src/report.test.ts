import { type HaConfig, reportSchema, startMember } from '@flotilla/ha';
import { createId } from '@flotilla/kit';
import { describe, expect, it } from 'vitest';
import { withAlarms } from './alarms.ts';
import { toMember } from './config.ts';
import { Readiness } from './readiness.ts';
import { describeMember, describeUnpaired } from './report.ts';

const AT = '2026-11-28T12:00:00.000Z';
const service = { id: createId(), name: 'shop', admin_port: 9901, unit: 'flotilla-shop.service' };
const config: HaConfig = {
  pair_id: createId(),
  config_rev: 7,
  slot: 1,
  priority: 100,
  has_peer: true,
  preempt: false,
  hb: { port: 8650, interval_ms: 200, misses: 5 },
  paths: [],
  keys: [{ id: 1, secret: Buffer.alloc(32, 7).toString('base64') }],
  send_key: 1,
  fence_targets: ['192.0.2.254'],
  next_hops: [],
  addresses: [
    { address: '192.0.2.10', interface: 'eth0', service },
    { address: '2001:db8::10', interface: 'eth1' },
  ],
};

function report({ isHolding = false, disputed = [] as string[], readiness = new Readiness() } = {}) {
  return describeMember({
    config,
    member: toMember(config),
    state: { ...startMember(3, 0), role: 'active', isHolding },
    since: AT,
    beats: { paths: [], heard: undefined, rejected: new Map([['old', 2]]) },
    addresses: { has: (address) => address === '192.0.2.10', isDisputed: (address) => disputed.includes(address) },
    readiness,
    history: {
      changes: [
        {
          at: AT,
          from: 'standby',
          role: 'active',
          epoch: 3,
          reason: 'peer_dead',
          peer_role: null,
          peer_epoch: null,
          gateway_reachable: true,
          silent_ms: 1003,
        },
      ],
      terms: [{ epoch: 3, raised_at: AT, released_at: null }],
    },
    problems: new Map([['history', 'no space']]),
    isPeerLeaving: true,
    now: 10,
  });
}

describe('a report', () => {
  it('is what the controller expects, with and without a pair', () => {
    for (const one of [report(), report({ isHolding: true, disputed: ['192.0.2.10'] }), describeUnpaired(AT)])
      expect(reportSchema.parse(one)).toEqual(one);
  });

  it('shows the service behind an address, which is not ready until somebody says so', () => {
    const readiness = new Readiness();
    expect(report({ readiness }).vips).toMatchObject([
      { service_id: service.id, service: 'shop', admin_port: 9901, unit: service.unit, present: false, ready: false },
      { service_id: null, service: null, admin_port: null, unit: null, present: true, ready: true },
    ]);
    readiness.setServices(new Map([[service.id, { present: true, healthy: true, ready: true }]]));
    expect(report({ readiness }).vips[0]).toMatchObject({ present: true, healthy: true, ready: true });
    expect(readiness.isReady(config.addresses)).toBe(true);
    readiness.switch(false);
    expect(report({ readiness }).vips.map(({ ready }) => ready)).toEqual([true, false]);
    expect(readiness.isReady(config.addresses)).toBe(false);
    readiness.setServices(new Map());
    expect(report({ readiness }).vips[0]).toMatchObject({ present: false, ready: false });
  });

  it('shows as held only what the kernel has, and as disputed what others answer for', () => {
    expect(report({ isHolding: true }).vips.map(({ held, holder }) => [held, holder])).toEqual([
      [true, 'self'],
      [false, 'none'],
    ]);
    const disputed = report({ isHolding: true, disputed: ['192.0.2.10'] });
    expect(disputed.vips[0]?.holder).toBe('conflict');
    expect(disputed.alarms.map(({ code }) => code)).toEqual([
      'peer_leaving',
      'gateway_unreachable',
      'vip_conflict',
      'history_failed',
    ]);
  });

  it('has as many alarms of as many characters as the controller accepts', () => {
    const problems = new Map(Array.from({ length: 300 }, (_, i) => [`kind${i}`, 'x'.repeat(5000)]));
    const alarms = withAlarms(report().alarms, { refused: 'bad', problems });
    expect(reportSchema.safeParse({ ...report(), alarms }).success).toBe(true);
    expect(alarms[0]).toEqual({ code: 'config_refused', level: 'error', message: 'bad' });
  });
});
