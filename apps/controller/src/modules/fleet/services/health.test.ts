import { describe, expect, it } from 'vitest';
import {
  deriveHealth,
  deriveHealthState,
  deriveNodeHealth,
  deriveReasons,
  type KnownTarget,
  type NodeFindings,
  type TargetReport,
} from './health.ts';

const report = (change: Partial<TargetReport> = {}): TargetReport => ({
  runState: 'running',
  phase: 'running',
  rolloutState: 'live',
  isBehind: false,
  hasErrors: false,
  listeners: 'all',
  hasTrafficReasons: false,
  ...change,
});

describe('the health of a node', () => {
  it.each<readonly [string, Partial<TargetReport>]>([
    ['live', {}],
    ['live', { rolloutState: null, listeners: 'unknown' }],
    ['in_progress', { phase: null, rolloutState: null }],
    ['in_progress', { phase: 'preparing' }],
    ['in_progress', { isBehind: true }],
    ['in_progress', { isBehind: true, listeners: 'none' }],
    ['in_progress', { rolloutState: 'in_progress', listeners: 'some' }],
    ['in_progress', { phase: 'stopped', isBehind: true }],
    ['in_progress', { listeners: 'waiting' }],
    ['stopped', { phase: 'stopped', runState: 'stopped' }],
    ['stopped', { phase: 'stopped', runState: 'stopped', hasErrors: true }],
    ['failed', { phase: 'stopped' }],
    ['failed', { phase: 'failed' }],
    ['failed', { listeners: 'none' }],
    ['failed', { listeners: 'none', hasErrors: true }],
    ['failed', { phase: null, hasErrors: true }],
    ['degraded', { rolloutState: 'partial' }],
    ['degraded', { hasErrors: true }],
    ['degraded', { hasErrors: true, isBehind: true }],
    ['degraded', { listeners: 'some' }],
    ['degraded', { hasTrafficReasons: true }],
    ['degraded', { hasTrafficReasons: true, isBehind: true }],
  ])('is %s for %j', (state, change) => {
    expect(deriveNodeHealth(report(change))).toBe(state);
  });
});

const target = (state: KnownTarget['state'], connected = true): KnownTarget => ({
  deployed: state !== null,
  connected,
  state,
});

describe('the health of a service', () => {
  it.each<readonly [string, readonly KnownTarget[]]>([
    ['not_deployed', [target(null)]],
    ['live', [target('live'), target(null, false)]],
    ['live', [target('live'), target('stopped')]],
    ['live', [target('live'), target('stopped', false)]],
    ['stopped', [target('stopped')]],
    ['in_progress', [target('live'), target('in_progress')]],
    ['degraded', [target('live'), target('live', false)]],
    ['degraded', [target('in_progress'), target('live', false)]],
    ['degraded', [target('live'), target('degraded')]],
    ['degraded', [target('live'), target('failed')]],
    ['degraded', [target('failed'), target('live', false)]],
    ['failed', [target('failed')]],
    ['failed', [target('failed'), target('stopped')]],
    ['failed', [target('failed'), target('failed', false)]],
  ])('is %s for %j', (state, targets) => {
    expect(deriveHealthState(targets)).toEqual({ state, last_known: null });
  });

  it('screen bug 5: is unreachable with the worst that the agents reported last if all are away', () => {
    const away = (...states: KnownTarget['state'][]) => deriveHealthState(states.map((state) => target(state, false)));
    expect(away('live')).toEqual({ state: 'unreachable', last_known: 'live' });
    expect(away('live', 'degraded').last_known).toBe('degraded');
    expect(away('live', 'stopped').last_known).toBe('live');
  });
});

const findings = (change: Partial<NodeFindings> = {}): NodeFindings => ({
  client_id: 'a',
  client_name: 'edge-a',
  phase: 'running',
  run_state: 'running',
  agent_error: null,
  listeners: [],
  errors: [],
  traffic: [],
  ...change,
});

describe('the reasons for the health', () => {
  it('name the listener, the configuration error and the endpoint, the worst first', () => {
    const reasons = deriveReasons(
      findings({
        phase: 'failed',
        agent_error: 'Envoy ended with code 1',
        listeners: [
          { name: 'web', serving: false, error: 'Address already in use' },
          { name: 'fine', serving: true, error: null },
        ],
        errors: [{ name: 'shop', message: 'Cluster "shop" has no type' }],
        traffic: [{ code: 'unhealthy_upstream', message: 'ill', name: 'shop', endpoints: ['192.0.2.1:80'] }],
      }),
    );
    expect(reasons.map(({ code, message, name }) => [code, message, name])).toEqual([
      ['not_running', 'Envoy ended with code 1', null],
      ['listener_not_serving', 'Listener "web" accepts no connections: Address already in use', 'web'],
      ['configuration_error', 'Cluster "shop" has no type', 'shop'],
      ['unhealthy_upstream', 'ill', 'shop'],
    ]);
    expect(reasons.at(-1)?.endpoints).toEqual(['192.0.2.1:80']);
  });

  it('of a service are those of its failed nodes first, then agents that are away, at most 20', () => {
    const errors = [{ name: 'x', message: 'x is wrong' }];
    const node = (state: KnownTarget['state'], change: Partial<NodeFindings>, connected = true) => ({
      ...target(state, connected),
      ...findings(change),
    });
    const { state, reasons } = deriveHealth([
      node('live', { client_id: 'l' }),
      node('live', { client_id: 'away', client_name: 'edge-9' }, false),
      node('degraded', { client_id: 'd', errors }),
      node('failed', { client_id: 'f', phase: 'failed' }),
    ]);
    expect(state).toBe('degraded');
    expect(reasons.map(({ client_id, code }) => [client_id, code])).toEqual([
      ['f', 'not_running'],
      ['d', 'configuration_error'],
      ['away', 'agent_away'],
    ]);
    expect(reasons[2]?.message).toContain('edge-9');
    const many = Array.from({ length: 50 }, (_, i) => node('degraded', { client_id: `${i}`, errors }));
    expect(deriveHealth(many).reasons).toHaveLength(20);
    expect(deriveHealth([node('live', { errors })]).reasons).toEqual([]);
  });
});
