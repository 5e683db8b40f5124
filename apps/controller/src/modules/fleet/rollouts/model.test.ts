import { describe, expect, it } from 'vitest';
import type { StoredResource } from '../services/index.ts';
import {
  countStates,
  type DesiredContent,
  deriveNodeProgress,
  deriveState,
  type NodeState,
  type Reported,
} from './model.ts';

const CHANGED = new Date('2026-01-01T10:00:00Z');
const BEFORE = new Date('2026-01-01T09:59:00Z');
const AFTER = new Date('2026-01-01T10:01:00Z');
const ROUTES = { type: 'envoy.config.route.v3.RouteConfiguration', name: 'main' };

function wanted(more: Partial<DesiredContent> = {}): DesiredContent {
  return {
    resources: [{ ...ROUTES, version: 'new' }],
    isComplete: false,
    bootstrapDigest: undefined,
    policyDigest: undefined,
    problem: undefined,
    changedAt: CHANGED,
    ...more,
  };
}

function reported(resource: Partial<StoredResource> | undefined, more: Partial<Reported> = {}): Reported {
  const base = { ...ROUTES, version: 'new', live_version: 'old', state: 'sent', reason: null } as const;
  return {
    connected: true,
    runState: 'running',
    phase: 'running',
    policyDigest: null,
    report: undefined,
    reportedAt: AFTER,
    resources: resource ? [{ ...base, ...resource }] : [],
    rolloutAt: AFTER,
    ...more,
  };
}

function report(more: object): Reported['report'] {
  return {
    since: null,
    bootstrap_digest: null,
    policy_error: null,
    shield_running: true,
    restarts: 0,
    envoy_pid: 1,
    error: null,
    ...more,
  };
}

const stateOf = (want: DesiredContent, known: Reported): NodeState => deriveNodeProgress(want, known).state;

describe('a change of a resource on one node', () => {
  it('is live only when Envoy runs exactly the wanted content', () => {
    expect(stateOf(wanted(), reported({ state: 'warmed', live_version: 'new' }))).toBe('warmed');
    expect(stateOf(wanted(), reported({ state: 'warmed', live_version: 'old' }))).toBe('acknowledged');
    expect(stateOf(wanted(), reported({ state: 'acknowledged', live_version: 'old' }))).toBe('acknowledged');
    expect(stateOf(wanted(), reported({ state: 'sent' }))).toBe('sent');
  });

  it('is not live because of a report that is older than the change', () => {
    expect(stateOf(wanted(), reported({ version: 'old', state: 'warmed', live_version: 'old' }))).toBe('waiting');
    expect(stateOf(wanted(), reported({ version: 'old', state: 'refused', live_version: null }))).toBe('waiting');
    expect(stateOf(wanted(), reported(undefined))).toBe('waiting');
  });

  it('is live at once if it changes nothing on the node', () => {
    const same = wanted({ resources: [{ ...ROUTES, version: 'old' }] });
    expect(stateOf(same, reported({ version: 'old', state: 'warmed', live_version: 'old' }))).toBe('warmed');
  });

  it('is live with restored content unless another version is being sent', () => {
    const back = wanted({ resources: [{ ...ROUTES, version: 'old' }] });
    expect(stateOf(back, reported({ version: 'new', state: 'sent', live_version: 'old' }))).toBe('waiting');
    expect(stateOf(back, reported({ version: 'new', state: 'refused', live_version: 'old' }))).toBe('warmed');
  });

  it("is refused with Envoy's message, and held by what it depends on", () => {
    const refused = deriveNodeProgress(wanted(), reported({ state: 'refused', reason: 'no such cluster' }));
    expect(refused).toEqual({ state: 'refused', reason: 'no such cluster', since: AFTER });
    expect(stateOf(wanted(), reported({ state: 'held', reason: 'held back by x' }))).toBe('held');
  });

  it('has the state of its worst part', () => {
    const cluster = { type: 'envoy.config.cluster.v3.Cluster', name: 'c', version: 'c1' };
    const both = wanted({ resources: [{ ...ROUTES, version: 'new' }, cluster] });
    const known = reported({ state: 'warmed', live_version: 'new' });
    expect(stateOf(both, known)).toBe('waiting');
    const live = { ...cluster, live_version: 'c1', state: 'warmed', reason: null } as const;
    expect(stateOf(both, { ...known, resources: [...known.resources, live] })).toBe('warmed');
  });

  it('waits for an offline client or a stopped service, unless it already ran there', () => {
    expect(stateOf(wanted(), reported({ state: 'sent' }, { connected: false }))).toBe('offline');
    expect(stateOf(wanted(), reported({ state: 'warmed', live_version: 'new' }, { connected: false }))).toBe('warmed');
    expect(deriveNodeProgress(wanted(), reported({ state: 'sent' }, { runState: 'stopped' }))).toMatchObject({
      state: 'offline',
      reason: expect.stringContaining('stopped'),
    });
  });

  it('is refused with the reason if it cannot be built for the node', () => {
    const broken = wanted({ resources: [], problem: 'listeners/http: has no address' });
    expect(deriveNodeProgress(broken, reported(undefined))).toMatchObject({
      state: 'refused',
      reason: 'listeners/http: has no address',
    });
  });
});

describe('a change of a bootstrap or policy', () => {
  const bootstrap = wanted({ resources: [], bootstrapDigest: 'b2' });
  const policy = wanted({ resources: [], policyDigest: 'p2' });

  it('is live when the process reports that it runs it', () => {
    expect(stateOf(bootstrap, reported(undefined, { report: report({ bootstrap_digest: 'b2' }) }))).toBe('warmed');
    expect(stateOf(bootstrap, reported(undefined, { report: report({ bootstrap_digest: 'b1' }) }))).toBe('waiting');
    expect(stateOf(policy, reported(undefined, { report: report({}), policyDigest: 'p2' }))).toBe('warmed');
    expect(stateOf(policy, reported(undefined, { report: report({}), policyDigest: 'p1' }))).toBe('waiting');
  });

  it('is refused only by complaints that came after it', () => {
    const complaint = { report: report({ policy_error: 'line 3', error: 'line 9' }), policyDigest: 'p1' };
    expect(deriveNodeProgress(policy, reported(undefined, complaint))).toMatchObject({
      state: 'refused',
      reason: 'line 3',
    });
    expect(stateOf(policy, reported(undefined, { ...complaint, reportedAt: BEFORE }))).toBe('waiting');
    expect(stateOf(bootstrap, reported(undefined, complaint))).toBe('refused');
    expect(stateOf(bootstrap, reported(undefined, { ...complaint, reportedAt: BEFORE }))).toBe('waiting');
  });
});

describe('a change of a service', () => {
  it('is not live while the node still runs removed resources', () => {
    const service = wanted({ resources: [], isComplete: true });
    expect(stateOf(service, reported({ version: 'old', state: 'warmed', live_version: 'old' }))).toBe('waiting');
    expect(stateOf(service, reported(undefined))).toBe('warmed');
  });
});

describe('a change beside an older refusal', () => {
  const cluster = { type: 'envoy.config.cluster.v3.Cluster', name: 'c', version: 'c1' };
  const service = wanted({ resources: [{ ...ROUTES, version: 'new' }, cluster], isComplete: true });
  const live = { ...cluster, live_version: 'c1', state: 'warmed', reason: null } as const;
  const known = reported({ state: 'refused', reason: 'no such cluster' });
  const refused = { ...known, resources: [...known.resources, live] };
  const before = { resources: service.resources, bootstrapDigest: undefined, policyDigest: undefined };

  it('is live if it did not touch the refused parts, and reports the refusal', () => {
    expect(deriveNodeProgress(service, refused, before)).toEqual({
      state: 'warmed',
      reason: 'An older refusal stands, which is not of this change: main: no such cluster',
      since: AFTER,
    });
    const moving = {
      ...known,
      resources: [...known.resources, { ...live, live_version: 'c0', state: 'sent' as const }],
    };
    expect(deriveNodeProgress(service, moving, before)).toMatchObject({
      state: 'sent',
      reason: expect.stringContaining('older refusal'),
    });
  });

  it('is refused if it touched the refused parts, or if the previous content is unknown', () => {
    expect(deriveNodeProgress(service, refused)).toMatchObject({ state: 'refused', reason: 'no such cluster' });
    const others = { ...before, resources: [{ ...ROUTES, version: 'old' }, cluster] };
    expect(deriveNodeProgress(service, refused, others)).toMatchObject({ state: 'refused', reason: 'no such cluster' });
  });

  it('is held if the refusal holds it back', () => {
    const held = { ...live, state: 'held', live_version: 'c0', reason: 'held back by main' } as const;
    const both = { ...known, resources: [...known.resources, held] };
    const touched = { ...before, resources: [{ ...ROUTES, version: 'new' }] };
    expect(deriveNodeProgress(service, both, touched)).toMatchObject({ state: 'held', reason: 'held back by main' });
  });

  it('of a bootstrap or bundle is recognised by the digests', () => {
    const parts = wanted({ resources: [], bootstrapDigest: 'b1', policyDigest: 'p1' });
    const complaints = { report: report({ error: 'line 9', policy_error: 'line 3', bootstrap_digest: 'b0' }) };
    const node = reported(undefined, { ...complaints, policyDigest: 'p0' });
    expect(deriveNodeProgress(parts, node, { resources: [], bootstrapDigest: 'b1', policyDigest: 'p1' })).toMatchObject(
      {
        state: 'warmed',
        reason: expect.stringContaining('bootstrap: line 9'),
      },
    );
    expect(deriveNodeProgress(parts, node, { resources: [], bootstrapDigest: 'b1', policyDigest: 'p0' })).toMatchObject(
      {
        state: 'refused',
        reason: 'line 3',
      },
    );
  });
});

describe('all nodes together', () => {
  const of = (...states: NodeState[]) => deriveState(countStates(states));
  it('are live when every node is, and refused as soon as one is', () => {
    expect(of()).toEqual({ state: 'unreached', settled: true });
    expect(of('warmed', 'warmed')).toEqual({ state: 'live', settled: true });
    expect(of('warmed', 'waiting')).toEqual({ state: 'in_progress', settled: false });
    expect(of('warmed', 'offline')).toEqual({ state: 'in_progress', settled: true });
    expect(of('waiting', 'waiting')).toEqual({ state: 'waiting', settled: false });
    expect(of('offline')).toEqual({ state: 'waiting', settled: true });
    expect(of('warmed', 'refused')).toEqual({ state: 'refused', settled: true });
    expect(of('sent', 'held')).toEqual({ state: 'refused', settled: false });
  });
});
