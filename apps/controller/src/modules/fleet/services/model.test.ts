import { describe, expect, it } from 'vitest';
import { deriveCondition, deriveTargetState, type KnownTarget, type TargetReport } from './model.ts';

const report = (change: Partial<TargetReport> = {}): TargetReport => ({
  runState: 'running',
  phase: 'running',
  rolloutState: 'live',
  isBehind: false,
  hasErrors: false,
  ...change,
});

describe('the state of a target', () => {
  it.each<readonly [string, Partial<TargetReport>]>([
    ['up_to_date', {}],
    ['up_to_date', { rolloutState: null }],
    ['in_progress', { phase: null, rolloutState: null }],
    ['in_progress', { phase: 'preparing' }],
    ['in_progress', { isBehind: true }],
    ['in_progress', { rolloutState: 'in_progress' }],
    ['in_progress', { phase: 'stopped', isBehind: true }],
    ['stopped', { phase: 'stopped', runState: 'stopped' }],
    ['with_errors', { phase: 'stopped' }],
    ['with_errors', { phase: 'failed' }],
    ['with_errors', { rolloutState: 'partial' }],
    ['with_errors', { hasErrors: true }],
    ['with_errors', { hasErrors: true, isBehind: true }],
  ])('is %s for %j', (state, change) => {
    expect(deriveTargetState(report(change))).toBe(state);
  });
});

describe('the condition of a service', () => {
  const target = (state: KnownTarget['state'], connected = true): KnownTarget => ({
    deployed: state !== null,
    connected,
    state,
  });

  it.each<readonly [string, readonly KnownTarget[]]>([
    ['not_deployed', [target(null)]],
    ['up_to_date', [target('up_to_date'), target(null, false)]],
    ['up_to_date', [target('up_to_date'), target('stopped')]],
    ['stopped', [target('stopped')]],
    ['in_progress', [target('up_to_date'), target('in_progress')]],
    ['partly_unreachable', [target('up_to_date'), target('up_to_date', false)]],
    ['partly_unreachable', [target('in_progress'), target('up_to_date', false)]],
    ['with_errors', [target('up_to_date'), target('with_errors')]],
    ['with_errors', [target('up_to_date'), target('with_errors', false)]],
  ])('is %s for %j', (state, targets) => {
    const reason = state === 'with_errors' ? 'refused' : null;
    expect(deriveCondition(targets, 'refused')).toEqual({ state, last_known: null, reason });
  });

  it('screen bug 5: shows the last reports if all clients are offline', () => {
    const away = (...states: KnownTarget['state'][]) =>
      deriveCondition(
        states.map((state) => target(state, false)),
        null,
      );
    expect(away('up_to_date')).toEqual({ state: 'unreachable', last_known: 'up_to_date', reason: null });
    expect(away('up_to_date', 'with_errors').last_known).toBe('with_errors');
    expect(away('up_to_date', 'stopped').last_known).toBe('stopped');
  });
});
