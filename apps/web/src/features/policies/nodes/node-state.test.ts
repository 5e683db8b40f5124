import { expect, it } from 'vitest';
import { deriveNodeState } from './node-state.ts';

const node = {
  current: true,
  policy_error: null,
  self_test: null,
  shield_problems: [],
  connected: true,
  run_state: 'running',
  shield_running: true,
  live_revision: 3,
} as const;

it.each([
  ['Current', {}],
  ['Outdated', { current: false }],
  ['Unknown', { current: null, live_revision: null }],
  ['No filter', { shield_running: false }],
  ['Offline', { connected: false }],
  ['Stopped', { run_state: 'stopped', connected: false }],
  ['Refused', { policy_error: 'no', current: false, connected: false }],
] as const)('the state is %s', (word, changes) => {
  expect(deriveNodeState({ ...node, ...changes }).word).toBe(word);
});

it('an error of a node that runs the newest text is ignored, because it may be about another policy', () => {
  expect(deriveNodeState({ ...node, policy_error: 'other.yaml:1: no' }).word).toBe('Current');
});
