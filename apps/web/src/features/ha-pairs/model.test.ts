import {
  HA_DISABLED_REASONS,
  HA_ROLES,
  HA_STATUSES,
  HA_SYNC_OPERATIONS,
  type HaPair,
  type HaRole,
} from '@flotilla/contract';
import { describe, expect, it } from 'vitest';
import { ROLE_LOOKS, STATUS_LOOKS } from './looks.ts';
import {
  detectionMs,
  findActive,
  hasMoved,
  listAddresses,
  matches,
  newestEpoch,
  planFailover,
  type Risk,
  sortByUrgency,
} from './model.ts';
import { createPair, createReport, createVip } from './testing/pair.ts';
import { texts } from './texts.ts';

it('every status, role, reason and operation of the contract has words and a look', () => {
  expect(Object.keys(texts.status)).toEqual([...HA_STATUSES]);
  expect(Object.keys(texts.statusMeaning)).toEqual([...HA_STATUSES]);
  expect(Object.keys(STATUS_LOOKS)).toEqual([...HA_STATUSES]);
  expect(Object.keys(texts.roles)).toEqual([...HA_ROLES]);
  expect(Object.keys(ROLE_LOOKS).toSorted()).toEqual([...HA_ROLES].toSorted());
  expect(Object.keys(texts.form.disabled)).toEqual([...HA_DISABLED_REASONS]);
  expect(Object.keys(texts.pending.operations)).toEqual([...HA_SYNC_OPERATIONS]);
  expect(new Set(Object.values(texts.status)).size).toBe(HA_STATUSES.length);
});

describe('the plan of a failover', () => {
  it('goes from the active member to the other one, without risks in a live pair', () => {
    const plan = planFailover(createPair());
    expect([plan.from?.name, plan.to?.name, plan.isReady, plan.risks]).toEqual(['edge-1', 'edge-2', true, []]);
  });

  const pending: HaPair['sync']['pending'] = [
    { service_id: 's', service: 'shop', client_id: 'two', client: 'edge-2', op: 'deploy', since: '', attempts: 1 },
  ];
  it.each<[Risk, boolean, HaPair]>([
    ['offline', false, createPair({ connected: { one: true, two: false } })],
    ['not_running', true, createPair({}, [{}, { daemon: 'stale' }])],
    ['maintenance', false, createPair({}, [{}, { role: 'maintenance' }])],
    ['not_standby', false, createPair({}, [{}, { role: 'fenced' }])],
    ['not_ready', false, createPair({}, [{}, { vips: [createVip({ ready: false })] }])],
    ['not_ready', false, createPair({}, [{ peer_dataplane: 'down' }])],
    ['peer_not_heard', true, createPair({}, [{ peer_ok: false }])],
    ['config_pending', true, createPair({}, [{}, { config_rev_applied: 3 }])],
    ['pending_work', true, createPair({ sync: { pending } })],
    ['no_active', false, createPair({}, [{ role: 'fenced' }])],
    ['no_active', false, createPair({}, [{}, { role: 'active' }])],
  ])('names %s, and is ready: %s', (risk, isReady, pair) => {
    expect(planFailover(pair)).toMatchObject({ risks: [risk], isReady });
  });

  it('may be forced unless nobody could take over at all', () => {
    const isForceable = (change: Partial<HaPair>, role: HaRole) =>
      planFailover(createPair(change, [{}, { role }])).isForceable;
    expect(isForceable({ connected: { one: true } }, 'standby')).toBe(true);
    expect(isForceable({}, 'fenced')).toBe(true);
    expect(isForceable({}, 'maintenance')).toBe(false);
    expect(isForceable({ members_ha: {} }, 'standby')).toBe(false);
  });

  it('has nobody to take over in a pair with one member', () => {
    const plan = planFailover(createPair({ members: createPair().members.slice(0, 1) }));
    expect(plan).toMatchObject({ risks: ['single_member'], isReady: false, to: undefined });
  });

  it('does not count work that the active member lacks', () => {
    const own = pending.map((one) => ({ ...one, client_id: 'one' }));
    expect(planFailover(createPair({ sync: { pending: own } })).risks).toEqual([]);
  });
});

describe('the holder', () => {
  it('has moved when another member alone is active', () => {
    const roles = (one: 'active' | 'standby', two: 'active' | 'standby') =>
      createPair({}, [{ role: one }, { role: two, epoch: 4 }]);
    expect(hasMoved(roles('active', 'standby'), 'one')).toBe(false);
    expect(hasMoved(roles('active', 'active'), 'one')).toBe(false);
    expect(hasMoved(roles('standby', 'standby'), 'one')).toBe(false);
    expect(hasMoved(roles('standby', 'active'), 'one')).toBe(true);
    expect(newestEpoch(roles('standby', 'active'))).toBe(4);
    expect(newestEpoch(createPair({ members_ha: {} }))).toBe(0);
    expect(findActive(createPair({ members_ha: {} }))).toBeUndefined();
  });

  it('is not a member whose report is old', () => {
    const bothActive = [{}, { role: 'active' }] as const;
    expect(findActive(createPair({}, bothActive))).toBeUndefined();
    expect(findActive(createPair({ connected: { two: true } }, bothActive))?.name).toBe('edge-2');
    expect(findActive(createPair({ missing: ['edge-1'] }, bothActive))?.name).toBe('edge-2');
    const held = [{}, { vips: [createVip({ held: true })] }];
    expect(listAddresses(createPair({ connected: { two: true } }, held))).toMatchObject([{ holders: ['edge-2'] }]);
  });

  it('is named for each address, and both members are while both have it', () => {
    const other = createVip({ vip: '192.0.2.9', service: 'mail' });
    const pair = createPair({
      members_ha: {
        one: createReport({ vips: [createVip({ held: true }), other] }),
        two: createReport({ vips: [createVip({ held: true })] }),
      },
    });
    expect(listAddresses(pair)).toMatchObject([
      { vip: '192.0.2.9', service: 'mail', holders: [], members: { one: other, two: undefined } },
      { vip: '192.0.2.10', service: 'shop', holders: ['edge-1', 'edge-2'] },
    ]);
  });
});

it('pairs with a problem come first, then the others by name', () => {
  const pairs = (['live', 'split_brain', 'live', 'degraded'] as const).map((status, i) =>
    createPair({ status, name: `p${3 - i}` }),
  );
  const names = sortByUrgency(pairs, (status) => STATUS_LOOKS[status].tone).map(({ name }) => name);
  expect(names).toEqual(['p2', 'p0', 'p1', 'p3']);
});

it('pairs are found by their name, their status and their members', () => {
  const pair = createPair({ status: 'no_active' });
  expect(['EDG', ' edge-2 ', 'no_act', ''].map((text) => matches(pair, text))).toEqual([true, true, true, true]);
  expect(matches(pair, 'edge-3')).toBe(false);
});

it('a silent member is noticed after all misses', () => {
  expect(detectionMs({ interval_ms: 200, misses: 5 })).toBe(1000);
});
