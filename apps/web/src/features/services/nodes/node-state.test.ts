import { expect, it } from 'vitest';
import { nodeOf, resourceOf } from '../testing/detail.ts';
import { deriveNodeState, fitsNode, sortNodes } from './node-state.ts';

it('a node is Running if everything in its desired state is in use', () => {
  expect(deriveNodeState(nodeOf())).toMatchObject({ word: 'Running' });
});

it('a client without a deployment is Not Deployed, whatever else is known', () => {
  expect(deriveNodeState(nodeOf({ deployed: false, connected: false }))).toMatchObject({ word: 'Not Deployed' });
});

it('a disconnected node is Unreachable with its last known state, as a warning (screen bug 5)', () => {
  expect(deriveNodeState(nodeOf({ connected: false }))).toMatchObject({
    word: 'Unreachable (last known: serving)',
    tone: 'warn',
  });
});

it.each([
  ['failed', 'Failed', 'bad'],
  ['degraded', 'Degraded', 'warn'],
] as const)('a node that is %s has the reason (screen bug 3)', (state, word, tone) => {
  const message = 'listeners/web: no address';
  const reason = { code: 'configuration_error' as const, message, client_id: 'a', name: 'web', endpoints: [] };
  expect(deriveNodeState(nodeOf({ state, reasons: [reason] }))).toMatchObject({ word, tone, why: message });
});

it('a failure has its reason', () => {
  expect(deriveNodeState(nodeOf({ phase: 'failed', error: 'port taken' }))).toMatchObject({
    word: 'Failed',
    why: 'port taken',
  });
});

it('a node is Refused if Envoy or the filter refuses something, even while it runs', () => {
  const refused = nodeOf({}, [resourceOf(), resourceOf({ name: 'b', state: 'refused', reason: 'no' })]);
  expect(deriveNodeState(refused)).toMatchObject({ word: 'Refused', why: expect.stringContaining('1 of 2') });
  expect(deriveNodeState(nodeOf({ policy_error: 'bad regex' }))).toMatchObject({
    word: 'Refused',
    why: expect.stringContaining('bad regex'),
  });
});

it('a rollout has the number of applied resources', () => {
  const moving = nodeOf({ applied_generation: 6 }, [resourceOf(), resourceOf({ name: 'b', state: 'sent' })]);
  expect(deriveNodeState(moving)).toMatchObject({ word: 'Rolling out 1 of 2', tone: 'busy' });
});

it('a deliberate stop is distinguished from an unexpected one', () => {
  expect(deriveNodeState(nodeOf({ phase: 'stopped', run_state: 'stopped' })).tone).toBeUndefined();
  expect(deriveNodeState(nodeOf({ phase: 'stopped' })).tone).toBe('bad');
});

it('nodes with problems come first', () => {
  const nodes = [
    nodeOf({ client_id: 'fine' }),
    nodeOf({ client_id: 'listed', deployed: false }),
    nodeOf({ client_id: 'moving', applied_generation: 1 }),
    nodeOf({ client_id: 'away', connected: false }),
    nodeOf({ client_id: 'broken', phase: 'failed' }),
  ];
  expect(sortNodes(nodes).map(({ client_id }) => client_id)).toEqual(['broken', 'away', 'moving', 'fine', 'listed']);
});

it('nodes are found by client, address and state', () => {
  const node = nodeOf({ client_id: 'Edge-1', addresses: ['192.0.2.7'], connected: false });
  expect(['edge', '2.7', 'unreachable', ''].every((text) => fitsNode(node, text))).toBe(true);
  expect(fitsNode(node, 'running')).toBe(false);
});
