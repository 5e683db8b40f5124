import { createTestFleet, type TestFleet } from '@flotilla/controller/testing/fleet';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { type OwnersTerminal, openMembersTerminal, openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

let t: TestFleet;
let terminal: OwnersTerminal;
let viewer: TestTerminal;
const asked: string[] = [];

const address = { socket_address: { address: '192.0.2.1', port_value: 80 } };
const BODIES: Readonly<Record<string, unknown>> = {
  '/clusters': {
    cluster_statuses: [
      { name: 'shop', host_statuses: [{ address, weight: 1, health_status: { failed_active_health_check: true } }] },
      { name: 'empty\u001b[2J' },
    ],
  },
  '/listeners': { listener_statuses: [{ name: 'web', local_address: address }] },
  '/stats': { stats: [{ name: 'http.rq_total', value: 7 }] },
  '/envoy': { logging: { levels: { http: 'info' } } },
  '/logging': { levels: { http: 'debug' } },
  '/ready': 'LIVE',
};

beforeAll(async () => {
  t = await createTestFleet();
  terminal = await openOwnersTerminal(t);
  const clients: string[] = [];
  for (const name of ['edge-1', 'edge-2']) {
    const id = await t.createClient(name);
    clients.push(id);
    const agent = await t.connect(id);
    agent.react = ({ type, payloadJson }) => {
      if (type !== 'PROXY') return { outcome: fleet.Outcome.DONE };
      const { path, queries } = JSON.parse(Buffer.from(payloadJson).toString());
      asked.push(`${name} ${path} ${JSON.stringify(queries)}`);
      if (name === 'edge-2') {
        const error = { errorCode: 'proxy.timeout', errorMessage: 'Envoy has not answered' };
        return { outcome: fleet.Outcome.FAILED, ...error };
      }
      const result = { path, status_code: 200, body: BODIES[path] ?? 'OK' };
      return { outcome: fleet.Outcome.DONE, resultJson: Buffer.from(JSON.stringify(result)) };
    };
  }
  await t.createService({ name: 'shop', clients: clients.map((client_id) => ({ client_id, addresses: [] })) });
  expect((await terminal.run(['deploy', 'shop'])).code).toBe(EXIT.ok);
  viewer = await openMembersTerminal(t, terminal.url, 'viewer');
});
afterAll(async () => {
  await viewer?.close();
  await terminal?.close();
  await t?.close();
});

const ONE = ['--client', 'edge-1'];

describe('flotilla proxy', () => {
  it.each([
    [['clusters'], /CLUSTER +ENDPOINT +HEALTH .*\nshop +192\.0\.2\.1:80 +failed active health check +1 +0\nempty/],
    [['listeners'], /LISTENER +ADDRESSES\nweb +192\.0\.2\.1:80\n/],
    [['stats'], /NAME +VALUE\nhttp\.rq_total +7\n/],
    [['levels'], /LOGGER +LEVEL\nhttp +info\n/],
    [['get', '/ready'], /^"LIVE"\n$/],
  ])('shows a viewer %j', async ([verb = '', ...args], shown) => {
    const answer = await viewer.run(['proxy', verb, 'shop', ...args, ...ONE]);
    expect(answer).toMatchObject({ code: EXIT.ok, err: '', out: expect.stringMatching(shown) });
    expect(answer.out).not.toContain('\u001b');
  });

  it.each([
    [['drain'], 'edge-1 /healthcheck/fail {}'],
    [['undrain'], 'edge-1 /healthcheck/ok {}'],
    [['reset-counters'], 'edge-1 /reset_counters {}'],
    [['set-level', 'debug'], 'edge-1 /logging {"level":"debug"}'],
    [
      ['set-level', 'debug', '--logger', 'http', '--logger', 'main'],
      'edge-1 /logging {"paths":"http:debug,main:debug"}',
    ],
    [['post', '/runtime_modify', '-p', 'a.b=1=2', '-p', 'c='], 'edge-1 /runtime_modify {"c":"","a.b":"1=2"}'],
  ])('lets an owner run %j, and no viewer', async ([verb = '', ...args], sent) => {
    const argv = ['proxy', verb, 'shop', ...args, ...ONE];
    asked.length = 0;
    expect((await viewer.run(argv)).code).toBe(EXIT.forbidden);
    expect(asked).toEqual([]);
    expect(await terminal.run(argv)).toMatchObject({ code: EXIT.ok, err: '' });
    expect(asked).toEqual([sent]);
  });

  it('asks all clients, prints what has arrived and reports the others', async () => {
    const answer = await terminal.run(['proxy', 'stats', 'shop', '--filter', '^http', '--all']);
    expect(answer).toEqual({
      code: EXIT.failed,
      out: 'CLIENT  NAME           VALUE\nedge-1  http.rq_total      7\n',
      err: 'edge-2: failed: Envoy has not answered\n',
    });
    expect(asked).toContain('edge-1 /stats {"filter":"^http"}');
    const { results } = JSON.parse((await terminal.run(['proxy', 'listeners', 'shop', '--json'])).out);
    expect(results).toHaveLength(2);
  });

  it('refuses what is not a path, a level or a parameter before anything is sent', async () => {
    asked.length = 0;
    for (const args of [
      ['get', 'shop', '/quitquitquit'],
      ['get', 'shop', '/healthcheck/fail'],
      ['post', 'shop', '/stats'],
      ['set-level', 'shop', 'loud'],
      ['get', 'shop', '/stats', '-p', 'filter'],
    ])
      expect((await terminal.run(['proxy', ...args])).code).toBe(EXIT.usage);
    expect((await terminal.run(['proxy', 'get', 'shop', '/stats', '-p', 'format=html'])).err).toContain('not allowed');
    expect((await terminal.run(['proxy', 'clusters', 'nowhere'])).code).toBe(EXIT.notFound);
    expect(asked).toEqual([]);
  });
});
