import { createTestFleet, type TestFleet } from '@flotilla/controller/testing/fleet';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { type OwnersTerminal, openMembersTerminal, openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

let t: TestFleet;
let terminal: OwnersTerminal;
let viewer: TestTerminal;
const asked: string[] = [];

const CONFIG = 'autonomous_system: 64500\nrouter_id: 192.0.2.1\n';
const change = { kind: 'add', blocks: ['router bgp 64500'], line: 'bgp router-id 192.0.2.1\u001b[2J' };
const changed = { revision: 4, changes: [change], changes_total: 3, warnings: ['no neighbour has policies'] };
const session = {
  peer_ip: '192.0.2.2',
  remote_as: 64_501,
  state: 'Established',
  connections_dropped: 2,
  description: 'up\u001b[2Jlink',
  families: [{ accepted_prefixes: 7, sent_prefixes: 1 }],
  bfd: { status: 'Up' },
};
const path = { is_best: true, next_hops: ['192.0.2.2'], as_path: '64501', origin: 'IGP', metric: 5 };
const RESULTS: Readonly<Record<string, unknown>> = {
  BGP_GET_CONFIG: {
    revision: 3,
    config: { autonomous_system: 64_500 },
    in_sync: false,
    drift: [change],
    warnings: [],
    health_routes: [
      { service: 'shop', prefix: '203.0.113.1/32', is_announced: true },
      { service: 'web', prefix: '203.0.113.2/32', is_announced: false },
    ],
  },
  BGP_DIFF_CONFIG: changed,
  BGP_SET_CONFIG: changed,
  BGP_LIST_NEIGHBORS: { neighbors: [session] },
  BGP_SHOW_ROUTES: { routes: { total: 9, routes: [{ network: '198.51.100.0/24', paths: [path] }] } },
  BGP_CLEAR_ROUTES: {},
  BGP_GET_BFD_PEERS: { peers: [] },
};

beforeAll(async () => {
  t = await createTestFleet();
  terminal = await openOwnersTerminal(t);
  const agent = await t.connect(await t.createClient('edge-1'));
  agent.react = ({ type, subType, payloadJson }) => {
    if (type !== 'ROUTING') return { outcome: fleet.Outcome.DONE };
    const payload = Buffer.from(payloadJson).toString();
    asked.push(`${subType} ${payload}`);
    if (payload.includes('64999')) {
      const error = { errorCode: 'routing.not_accepted', errorMessage: 'FRR did not take a line' };
      return { outcome: fleet.Outcome.FAILED, ...error };
    }
    return { outcome: fleet.Outcome.DONE, resultJson: Buffer.from(JSON.stringify(RESULTS[subType] ?? {})) };
  };
  viewer = await openMembersTerminal(t, terminal.url, 'viewer');
});
afterAll(async () => {
  await viewer?.close();
  await terminal?.close();
  await t?.close();
});

describe('flotilla routing', () => {
  it.each([
    ['neighbours', [], /NEIGHBOUR +AS +STATE .*\n192\.0\.2\.2 +64501 +Established +7 +1 +2 +Up +up.*link\n/],
    [
      'routes',
      ['--prefix', '198.51.100.0/24'],
      /NETWORK .*\n198\.51\.100\.0\/24 +yes +192\.0\.2\.2 +5 +- +64501 +IGP\n/,
    ],
    ['health', [], /\n203\.0\.113\.1\/32 +shop +announced\n203\.0\.113\.2\/32 +web +withdrawn\n/],
    ['config', [], /^autonomous_system: 64500\n/],
  ])('shows a viewer %s without control characters', async (verb, args, shown) => {
    const { code, out, err } = await viewer.run(['routing', verb, 'edge-1', ...args], { stdin: CONFIG });
    expect([code, out]).toEqual([EXIT.ok, expect.stringMatching(shown)]);
    expect(out + err).not.toContain('\u001b');
  });

  it('says which revision the host has, how it differs and what the warnings are', async () => {
    const { err } = await viewer.run(['routing', 'config', 'edge-1']);
    expect(err).toMatch(/Revision 3\.\nThe host differs from it:\n\+ router bgp 64500/);
    const diff = await terminal.run(['routing', 'diff', 'edge-1', '-f', '-'], { stdin: CONFIG });
    expect(diff.out).toMatch(/^\+ router bgp 64500 \/ bgp router-id 192\.0\.2\.1.*\n\.\.\. and 2 more lines\n$/);
    expect(diff.out).not.toContain('\u001b');
    expect(diff.err).toContain('The client has revision 4.\nWarning: no neighbour has policies');
    expect((await viewer.run(['routing', 'routes', 'edge-1'])).err).toContain('1 of 9 networks are shown');
  });

  it.each([
    [
      ['apply', '-f', '-', '--expect', '3', '--replace'],
      'BGP_SET_CONFIG',
      { config: { autonomous_system: 64_500, router_id: '192.0.2.1' }, expected_revision: 3, replace: true },
    ],
    [['remove'], 'BGP_SET_CONFIG', { config: null }],
    [
      ['clear', '--neighbour', '192.0.2.2', '--hard'],
      'BGP_CLEAR_ROUTES',
      { clear: { neighbor: '192.0.2.2', soft: false } },
    ],
  ])('lets an owner run %j, and no viewer', async ([verb = '', ...args], operation, payload) => {
    const argv = ['routing', verb, 'edge-1', ...args];
    asked.length = 0;
    expect((await viewer.run(argv, { stdin: CONFIG })).code).toBe(EXIT.forbidden);
    expect(asked).toEqual([]);
    expect((await terminal.run(argv, { stdin: CONFIG })).code).toBe(EXIT.ok);
    const [sent = ''] = asked;
    expect(sent.slice(0, sent.indexOf(' '))).toBe(operation);
    expect(JSON.parse(sent.slice(sent.indexOf(' ')))).toMatchObject(payload);
  });

  it('asks for the routes of a neighbour in one direction, and refuses a direction without a neighbour', async () => {
    asked.length = 0;
    await viewer.run(['routing', 'routes', 'edge-1', '--neighbour', '192.0.2.2', '--advertised', '--family', 'ipv6']);
    expect(JSON.parse(asked[0]?.replace('BGP_SHOW_ROUTES ', '') ?? '')).toEqual({
      peer_ip: '192.0.2.2',
      direction: 'advertised',
      family: 'ipv6',
    });
    const refused = await viewer.run(['routing', 'routes', 'edge-1', '--advertised']);
    expect([refused.code, refused.err]).toEqual([
      EXIT.usage,
      expect.stringContaining('--advertised needs --neighbour'),
    ]);
  });

  it('reports what the client refused, and a file that is no document, with a code of its own', async () => {
    const failed = await terminal.run(['routing', 'apply', 'edge-1', '-f', '-'], {
      stdin: CONFIG.replace('64500', '64999'),
    });
    expect(failed).toMatchObject({ code: EXIT.failed, err: 'failed: FRR did not take a line\n' });
    for (const stdin of ['- 1\n', 'a: &x 1\nb: *x\n', '{'])
      expect((await terminal.run(['routing', 'apply', 'edge-1', '-f', '-'], { stdin })).code).toBe(EXIT.usage);
    const invalid = await terminal.run(['routing', 'apply', 'edge-1', '-f', '-'], { stdin: 'router_id: 1.1\n' });
    expect([invalid.code, invalid.err]).toEqual([EXIT.failed, expect.stringContaining('command.config')]);
  });
});
