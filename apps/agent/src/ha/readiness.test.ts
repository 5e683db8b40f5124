import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { describe, expect, it } from 'vitest';
import { HOLD_MS, LAG_MS, Readiness, type ReadinessFacts, START_MS } from './readiness.ts';

const ID = '0190f5a2-0000-7000-8000-000000000001';
const OTHER = '0190f5a2-0000-7000-8000-000000000002';

const want = (more: MessageInitShape<typeof fleet.DesiredServiceSchema> = {}) =>
  create(fleet.DesiredServiceSchema, { serviceId: ID, generation: 2n, runState: fleet.RunState.RUNNING, ...more });
const report = (more: MessageInitShape<typeof fleet.NodeReportSchema> = {}) =>
  create(fleet.NodeReportSchema, {
    serviceId: ID,
    generation: 2n,
    phase: fleet.NodePhase.RUNNING,
    envoyPid: 7,
    ...more,
  });
const GOOD: ReadinessFacts = {
  groups: new Map([[ID, [ID]]]),
  desired: [want()],
  reports: [report()],
  rollouts: new Map([[ID, fleet.RolloutState.LIVE]]),
  isActive: false,
  now: 0,
};
const LAGGING: Partial<ReadinessFacts> = { rollouts: new Map([[ID, fleet.RolloutState.IN_PROGRESS]]) };
const DEAD: Partial<ReadinessFacts> = { reports: [report({ phase: fleet.NodePhase.PREPARING, envoyPid: 0 })] };

/** A readiness that has seen everything good, at time zero. */
function begin(facts: Partial<ReadinessFacts> = {}) {
  const readiness = new Readiness();
  const at = (now: number, change: Partial<ReadinessFacts> = {}) =>
    readiness.derive({ ...GOOD, ...facts, ...change, now })?.[0];
  expect(at(0)).toEqual({ service_id: ID, present: true, healthy: true, ready: true });
  return at;
}

describe('a service is ready', () => {
  it('if its Envoy runs with the newest generation and snapshot', () => {
    for (const lag of [
      { desired: [want({ generation: 3n })] },
      LAGGING,
      { rollouts: new Map() },
      { rollouts: new Map([[ID, fleet.RolloutState.PARTIAL]]) },
    ]) {
      const at = begin();
      at(1, lag);
      expect(at(1 + LAG_MS.other, lag)).toEqual({ service_id: ID, present: true, healthy: true, ready: false });
    }
  });

  it('if its filter, too, runs with the newest policies', () => {
    const desired = [want({ shield: { bundle: { digest: 'ab' } } })];
    const filtered = (more: MessageInitShape<typeof fleet.NodeReportSchema>) => ({
      desired,
      reports: [report({ shieldRunning: true, policyDigest: 'ab', ...more })],
    });
    for (const lag of [{ policyDigest: 'cd' }, { policyDigest: '' }, { policyError: 'refused' }]) {
      const at = begin(filtered({}));
      at(1, filtered(lag));
      expect(at(1 + LAG_MS.other, filtered(lag))).toMatchObject({ healthy: true, ready: false });
    }
    expect(begin(filtered({}))(1, filtered({ shieldRunning: false }))).toMatchObject({ healthy: false, ready: false });
  });

  it('if it is stopped as the operator wants, so that the others may move', () => {
    const stopped = {
      desired: [want({ runState: fleet.RunState.STOPPED })],
      reports: [report({ phase: fleet.NodePhase.STOPPED, envoyPid: 0 })],
    };
    expect(begin()(1, stopped)).toEqual({ service_id: ID, present: true, healthy: false, ready: true });
    expect(begin()(1, { ...stopped, desired: [want()] })).toMatchObject({ ready: false });
  });

  it('not if it is not on this host', () => {
    expect(begin()(1, { desired: [], reports: [] })).toEqual({
      service_id: ID,
      present: false,
      healthy: false,
      ready: false,
    });
  });

  it('only together with all services that have the same address', () => {
    const both = { groups: new Map([[ID, [ID, OTHER]]]) };
    const more = {
      ...both,
      desired: [want(), want({ serviceId: OTHER })],
      reports: [report(), report({ serviceId: OTHER, envoyPid: 0 })],
      rollouts: new Map([ID, OTHER].map((id) => [id, fleet.RolloutState.LIVE])),
    };
    expect(begin()(START_MS, more)).toMatchObject({ healthy: false, ready: false });
    expect(begin()(START_MS, { ...more, reports: [report(), report({ serviceId: OTHER })] })).toMatchObject({
      ready: true,
    });
  });
});

describe('a service stops to be ready', () => {
  it.each([true, false])('at once when its Envoy dies (active: %s)', (isActive) => {
    const at = begin({ isActive });
    expect(at(1, DEAD)).toMatchObject({ present: true, healthy: false, ready: false });
  });

  it('later on the member with the addresses than on the other one, when a change does not arrive', () => {
    const [active, other] = [begin({ isActive: true }), begin()];
    for (const now of [1, LAG_MS.other]) {
      expect(active(now, LAGGING)).toMatchObject({ ready: true });
      other(now, LAGGING);
    }
    expect(other(LAG_MS.other + 1, LAGGING)).toMatchObject({ healthy: true, ready: false });
    expect(active(LAG_MS.active, LAGGING)).toMatchObject({ ready: true });
    expect(active(LAG_MS.active + 1, LAGGING)).toMatchObject({ healthy: true, ready: false });
  });

  it('not because of a change that arrives in time, however often', () => {
    const at = begin();
    for (let now = 1; now < 60_000; now += 2000) {
      expect(at(now, LAGGING)).toMatchObject({ ready: true });
      expect(at(now + 1000)).toMatchObject({ ready: true });
    }
  });
});

describe('a service becomes ready again', () => {
  it('at once on the member with the addresses, and later on the other one', () => {
    const [active, other] = [begin({ isActive: true }), begin()];
    for (const at of [active, other]) expect(at(1, DEAD)).toMatchObject({ ready: false });
    expect(active(2)).toMatchObject({ ready: true });
    expect(other(2)).toMatchObject({ healthy: true, ready: false });
    expect(other(1 + HOLD_MS)).toMatchObject({ ready: false });
    expect(other(2 + HOLD_MS)).toMatchObject({ ready: true });
  });
});

describe('a restarted agent', () => {
  it('decides nothing before it has heard of every service, for a while', () => {
    const readiness = new Readiness();
    const at = (now: number, change: Partial<ReadinessFacts>) => readiness.derive({ ...GOOD, ...change, now });
    expect(at(0, { reports: [] })).toBeUndefined();
    expect(at(1, { rollouts: new Map() })).toBeUndefined();
    expect(at(2, LAGGING)).toBeUndefined();
    expect(at(START_MS, LAGGING)).toMatchObject([{ ready: false }]);
  });

  it('decides at once if all run, or if one has failed', () => {
    expect(new Readiness().derive(GOOD)).toMatchObject([{ ready: true }]);
    const failed = { ...GOOD, reports: [report({ phase: fleet.NodePhase.FAILED, envoyPid: 0 })] };
    expect(new Readiness().derive(failed)).toMatchObject([{ ready: false }]);
    expect(new Readiness().derive({ ...GOOD, groups: new Map() })).toEqual([]);
  });
});
