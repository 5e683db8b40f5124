import { describe, expect, it } from 'vitest';
import {
  boundError,
  type Comparison,
  type Deployment,
  decide,
  deriveBackOffMs,
  deriveDebts,
  deriveOperation,
  type Work,
} from './model.ts';

const RUNNING: Deployment = { addresses: ['192.0.2.9'], runState: 'running', version: '1.39.0', drainTimeS: 10 };
const STOPPED: Deployment = { ...RUNNING, runState: 'stopped' };
const OLDER: Deployment = { ...RUNNING, version: '1.35.0' };
const MOVED: Deployment = { ...RUNNING, addresses: ['192.0.2.10'] };

const WORK: Work = {
  serviceId: 's',
  service: 'shop',
  projectId: 'p',
  pairId: 'pair',
  pair: 'edge',
  clientId: 'b',
  client: 'edge-b',
  isConnected: true,
  sourceId: 'a',
  hasSource: true,
  op: 'deploy',
  since: new Date(0),
  attempts: 0,
  source: RUNNING,
  follower: null,
  command: null,
  hasBinary: true,
  installing: null,
};

const command = (status: string, installs: string | null = null, error: string | null = null) => ({
  id: 'c',
  status,
  installs,
  error,
});

describe('the difference of two members', () => {
  it.each([
    ['nothing', null, null, undefined],
    ['nothing', RUNNING, RUNNING, undefined],
    ['a deployment', RUNNING, null, 'deploy'],
    ['other addresses', RUNNING, MOVED, 'deploy'],
    ['a removal', null, STOPPED, 'undeploy'],
    ['another version', RUNNING, OLDER, 'version'],
    ['another drain time', RUNNING, { ...RUNNING, drainTimeS: 60 }, 'version'],
    ['a stop', STOPPED, RUNNING, 'stop'],
    ['a start', RUNNING, STOPPED, 'start'],
    ['addresses before a stop', STOPPED, MOVED, 'deploy'],
  ] as const)('is %s', (_, source, follower, op) => {
    expect(deriveOperation(source, follower)).toBe(op);
  });
});

describe('the next step of a member that catches up', () => {
  it.each<[string, Partial<Work>, ReturnType<typeof decide>]>([
    ['is its deployment', {}, { kind: 'order', op: 'deploy' }],
    ['is the binary, if the host lacks it', { hasBinary: false }, { kind: 'install', version: '1.39.0' }],
    [
      'is the deployment after the binary',
      { hasBinary: false, command: command('done', '1.39.0') },
      { kind: 'order', op: 'deploy' },
    ],
    [
      'is the binary again, if another version was installed meanwhile',
      { hasBinary: false, command: command('done', '1.35.0') },
      { kind: 'install', version: '1.39.0' },
    ],
    [
      'joins an install of the same version',
      { hasBinary: false, installing: { id: 'i', version: '1.39.0' } },
      { kind: 'join', commandId: 'i' },
    ],
    [
      'waits for an install of another version',
      { hasBinary: false, installing: { id: 'i', version: '1.35.0' } },
      { kind: 'queue' },
    ],
    ['waits for its command', { follower: RUNNING, command: command('sent') }, { kind: 'wait' }],
    ['is the end, if the command is done', { follower: RUNNING, command: command('done') }, { kind: 'settle' }],
    [
      'is the next difference, if the command is done',
      { follower: OLDER, command: command('done') },
      { kind: 'order', op: 'version' },
    ],
    [
      'counts a failure, also if the rows are equal',
      { follower: RUNNING, command: command('failed', null, 'no') },
      { kind: 'fail', error: 'no' },
    ],
    [
      'counts an unknown outcome',
      { follower: RUNNING, command: command('unknown') },
      { kind: 'fail', error: 'unknown' },
    ],
    ['is the end, if the members became equal before anything was tried', { follower: RUNNING }, { kind: 'settle' }],
    [
      'is the end for a single member of a cloud, also after a failure',
      { clientId: 'a', follower: RUNNING, attempts: 3 },
      { kind: 'settle' },
    ],
    ['repeats what failed', { follower: RUNNING, op: 'version', attempts: 1 }, { kind: 'order', op: 'version' }],
    ['repeats a removal that failed', { source: null, op: 'undeploy', attempts: 1 }, { kind: 'order', op: 'undeploy' }],
    [
      'never deploys what nobody has any more',
      { source: null, op: 'deploy', attempts: 1 },
      { kind: 'order', op: 'undeploy' },
    ],
    [
      'never removes what both have',
      { follower: RUNNING, op: 'undeploy', attempts: 1 },
      { kind: 'order', op: 'deploy' },
    ],
    [
      'never starts what both have stopped',
      { source: STOPPED, follower: STOPPED, op: 'start', attempts: 1 },
      { kind: 'order', op: 'stop' },
    ],
    ['waits for its client', { isConnected: false }, { kind: 'offline' }],
    [
      'needs no client, if the work is done',
      { isConnected: false, follower: RUNNING, command: command('done') },
      { kind: 'settle' },
    ],
    [
      'forgets the work, if the source has left the pair',
      { hasSource: false, source: null, follower: RUNNING },
      { kind: 'drop' },
    ],
  ])('%s', (_, more, step) => {
    expect(decide({ ...WORK, ...more })).toEqual(step);
  });
});

describe('what a change of targets makes a member owe', () => {
  const part = (clientId: string, deployment: Deployment | null, priority: number) => ({
    clientId,
    priority,
    part: deployment,
  });
  const a = (deployment: Deployment | null) => part('a', deployment, 100);
  const b = (deployment: Deployment | null) => part('b', deployment, 200);
  const compare = (
    changed: Comparison['changed'],
    peer: Comparison['peer'],
    sourceId: string | null = null,
  ): Comparison => ({
    projectId: 'p',
    pairId: 'pair',
    changed,
    peer,
    sourceId,
    isInCloud: false,
  });
  const both = (one: Comparison['changed'], two: Comparison['changed'], sourceId: string | null = null) => [
    compare(one, two, sourceId),
    compare(two, one, sourceId),
  ];

  it.each<[string, Comparison[], object]>([
    [
      'follows the member that changed',
      [compare(a(RUNNING), b(STOPPED))],
      { clientId: 'b', sourceId: 'a', op: 'start' },
    ],
    ['is nothing, if both are equal', both(a(RUNNING), b(RUNNING)), { op: undefined }],
    [
      'follows the higher priority, if both changed and differ',
      both(a(RUNNING), b(MOVED)),
      { clientId: 'a', sourceId: 'b', op: 'deploy' },
    ],
    [
      'follows the member that has the service, if both changed',
      both(a(RUNNING), b(null)),
      { clientId: 'b', sourceId: 'a', op: 'deploy' },
    ],
    [
      'follows the previous source, if both changed',
      both(a(OLDER), b(RUNNING), 'a'),
      { clientId: 'b', sourceId: 'a', op: 'version' },
    ],
    [
      'is something in a cloud, also if both are equal',
      [{ ...compare(a(RUNNING), b(RUNNING)), isInCloud: true }],
      { clientId: 'b', sourceId: 'a', op: 'deploy' },
    ],
    [
      'is something for the only member in a cloud',
      [{ ...compare(a(RUNNING), null), isInCloud: true }],
      { clientId: 'a', sourceId: 'a', op: 'deploy' },
    ],
    ['is nothing for the only member', [compare(a(RUNNING), null)], { op: undefined }],
  ])('%s', (_, comparisons, debt) => {
    expect(deriveDebts(comparisons)).toHaveLength(1);
    expect(deriveDebts(comparisons)[0]).toMatchObject(debt);
  });
});

it('the back-off grows from five seconds to five minutes', () => {
  expect([0, 1, 2, 3, 6, 7, 8, 10_000].map((attempts) => deriveBackOffMs(attempts) / 1000)).toEqual([
    5, 5, 10, 20, 160, 300, 300, 300,
  ]);
});

it('a message of a failure is one line of bounded length', () => {
  expect(boundError(' no\u0000 \n space')).toBe('no space');
  expect(boundError('x'.repeat(10_000))).toHaveLength(500);
});
