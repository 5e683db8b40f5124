import { createResource, createSnapshot, RESOURCE_TYPE, type ResourceState, type RolloutStatus } from '@flotilla/xds';
import { expect, it } from 'vitest';
import { deriveListenerStates, parseListeners } from './listener-states.ts';

const typeUrl = RESOURCE_TYPE.listener;
const snapshotOf = (...names: string[]) =>
  createSnapshot(names.map((name) => ({ resource: createResource({ typeUrl, name }, new Uint8Array()) })));
function rollout(
  states: Readonly<Record<string, ResourceState>>,
  state: RolloutStatus['state'] = 'partial',
): RolloutStatus {
  const resources = Object.entries(states).map(([name, one]) => ({
    typeUrl,
    name,
    version: 'v',
    state: one,
    liveVersion: undefined,
  }));
  return { snapshotVersion: 's', state, resources, retiring: [] };
}
const REFUSED = { kind: 'refused', reason: "cannot bind '127.0.0.1:80'" } as const;

it('a listener serves only if Envoy has activated it', () => {
  const active = new Map([
    ['good', '127.0.0.1:8080'],
    ['old', '127.0.0.1:8081'],
  ]);
  const states = deriveListenerStates(
    snapshotOf('bad', 'good', 'held', 'late', 'old'),
    rollout({
      bad: REFUSED,
      good: { kind: 'warmed' },
      held: { kind: 'held', by: { typeUrl: RESOURCE_TYPE.route, name: 'r' }, reason: 'no such cluster' },
      late: { kind: 'acknowledged' },
      // Its newest version is refused, and the previous one serves.
      old: REFUSED,
    }),
    active,
  );
  expect(states.map(({ name, serving, address, error }) => [name, serving, address, error])).toEqual([
    ['bad', false, '', "cannot bind '127.0.0.1:80'"],
    ['good', true, '127.0.0.1:8080', ''],
    ['held', false, '', 'no such cluster (held back by "r")'],
    ['late', false, '', 'Envoy has not activated it: something that it refers to is missing'],
    ['old', true, '127.0.0.1:8081', ''],
  ]);
});

it('a listener has no error while it is being rolled out', () => {
  const [state] = deriveListenerStates(snapshotOf('l'), rollout({ l: { kind: 'sent' } }, 'in_progress'), new Map());
  expect(state).toMatchObject({ serving: false, error: '' });
});

it('addresses are written as in a URL, and paths of sockets as they are', () => {
  const socket = (address: string, port_value: number) => ({ socket_address: { address, port_value } });
  const body = JSON.stringify({
    listener_statuses: [
      { name: 'v4', local_address: socket('127.0.0.1', 80), additional_local_addresses: [socket('::1', 81)] },
      { name: 'pipe', local_address: { pipe: { path: '/run/x.sock' } } },
    ],
  });
  expect([...parseListeners(body)]).toEqual([
    ['v4', '127.0.0.1:80, [::1]:81'],
    ['pipe', '/run/x.sock'],
  ]);
  expect(parseListeners('{}').size).toBe(0);
});
