import { expect, it } from 'vitest';
import { nodeOf, resourceOf } from '../test-detail.ts';
import { deriveNodeState, fitsNode, sortNodes } from './node-state.ts';

it('is Running when all that is wanted is in use', () => {
  expect(deriveNodeState(nodeOf())).toMatchObject({ word: 'Running' });
});

it('says Not Deployed of a client that is only listed, whatever else is known', () => {
  expect(deriveNodeState(nodeOf({ deployed: false, connected: false }))).toMatchObject({ word: 'Not Deployed' });
});

it('screen bug 5: says Unreachable with what was known last, as a warning', () => {
  expect(deriveNodeState(nodeOf({ connected: false }))).toMatchObject({
    word: 'Unreachable (last known: serving)',
    tone: 'warn',
  });
});

it('screen bug 3: says With errors, and the reason, of a node that lacks a resource that could not be generated', () => {
  const node = nodeOf({ state: 'with_errors', state_reason: 'listeners/web: no address' });
  expect(deriveNodeState(node)).toMatchObject({ word: 'With errors', tone: 'bad', why: 'listeners/web: no address' });
});

it('gives the reason of a failure', () => {
  expect(deriveNodeState(nodeOf({ phase: 'failed', error: 'port taken' }))).toMatchObject({
    word: 'Failed',
    why: 'port taken',
  });
});

it('says Refused when Envoy or the filter refuses something, though it runs', () => {
  const refused = nodeOf({}, [resourceOf(), resourceOf({ name: 'b', state: 'refused', reason: 'no' })]);
  expect(deriveNodeState(refused)).toMatchObject({ word: 'Refused', why: expect.stringContaining('1 of 2') });
  expect(deriveNodeState(nodeOf({ policy_error: 'bad regex' }))).toMatchObject({
    word: 'Refused',
    why: expect.stringContaining('bad regex'),
  });
});

it('counts how far a rollout has come', () => {
  const moving = nodeOf({ applied_generation: 6 }, [resourceOf(), resourceOf({ name: 'b', state: 'sent' })]);
  expect(deriveNodeState(moving)).toMatchObject({ word: 'Rolling out 1 of 2', tone: 'busy' });
});

it('tells a stop on purpose from one that is not', () => {
  expect(deriveNodeState(nodeOf({ phase: 'stopped', run_state: 'stopped' })).tone).toBeUndefined();
  expect(deriveNodeState(nodeOf({ phase: 'stopped' })).tone).toBe('bad');
});

it('puts what needs a look first', () => {
  const nodes = [
    nodeOf({ client_id: 'fine' }),
    nodeOf({ client_id: 'listed', deployed: false }),
    nodeOf({ client_id: 'moving', applied_generation: 1 }),
    nodeOf({ client_id: 'away', connected: false }),
    nodeOf({ client_id: 'broken', phase: 'failed' }),
  ];
  expect(sortNodes(nodes).map(({ client_id }) => client_id)).toEqual(['broken', 'away', 'moving', 'fine', 'listed']);
});

it('finds nodes by client, address and state', () => {
  const node = nodeOf({ client_id: 'Edge-1', addresses: ['192.0.2.7'], connected: false });
  expect(['edge', '2.7', 'unreachable', ''].every((text) => fitsNode(node, text))).toBe(true);
  expect(fitsNode(node, 'running')).toBe(false);
});
