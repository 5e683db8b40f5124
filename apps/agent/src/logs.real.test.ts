import { appendFile, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestController } from '@flotilla/controller/testing/controller';
import { findFreePort } from '@flotilla/kit/testing';
import { deriveServiceLayout, type ServiceLayout } from '@flotilla/proto';
import type { LogPage } from '@flotilla/proto/commands';
import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rotateLogs } from './host/log-rotation.ts';
import { AgentStage } from './testing/agent-stage.ts';
import { type TestAgent, waitFor } from './testing/test-agent.ts';
import type { TestHost } from './testing/test-host.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;

let stage: AgentStage;
let t: TestController;
let agent: TestAgent;
let folders: TestHost;
let serviceId: string;
let layout: ServiceLayout;
let port: number;

beforeAll(async () => {
  stage = await AgentStage.open();
  ({ t, agent, folders } = stage);
  port = await findFreePort();
  await addDocuments();
  serviceId = await stage.createService('shop');
  layout = deriveServiceLayout(folders.dirs, serviceId);
  const deployed = await send('DEPLOY', { service_id: serviceId });
  expect(deployed, JSON.stringify(deployed.error)).toMatchObject({ outcome: 'done' });
});
afterAll(() => stage?.close());

/** A listener that answers itself, and writes one access log to a file and one to standard output. */
async function addDocuments(): Promise<void> {
  const typed = (type: string, more: object) => ({ '@type': `type.googleapis.com/envoy.extensions.${type}`, ...more });
  const toFile = { name: 'file', typed_config: typed('access_loggers.file.v3.FileAccessLog', { path: 'access.log' }) };
  const toStdout = { name: 'out', typed_config: typed('access_loggers.stream.v3.StdoutAccessLog', {}) };
  const manager = typed('filters.network.http_connection_manager.v3.HttpConnectionManager', {
    stat_prefix: 'web',
    access_log: [toFile, toStdout],
    http_filters: [{ name: 'router', typed_config: typed('filters.http.router.v3.Router', {}) }],
    route_config: {
      virtual_hosts: [
        {
          name: 'all',
          domains: ['*'],
          routes: [
            { match: { prefix: '/bad' }, direct_response: { status: 503 } },
            { match: { prefix: '/' }, direct_response: { status: 200 } },
          ],
        },
      ],
    },
  });
  const web = {
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
    filter_chains: [{ filters: [{ name: 'hcm', typed_config: manager }] }],
  };
  for (const [collection, name, resource] of [
    ['bootstrap', 'boot', {}],
    ['listeners', 'web', web],
  ] as const) {
    const path = `/api/v3/xds/${collection}?project=${t.project}`;
    const answer = await t.owner.call('POST', path, { name, version: VERSION, resource });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  }
}

async function send(type: string, command: Record<string, unknown>, sub_type = '') {
  const clients = [{ client_id: await agent.clientId() }];
  const path = `/api/op/clients?project=${t.project}&wait_ms=60000`;
  const answer = await t.owner.call('POST', path, { type, sub_type, clients, command });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.results[0];
}

async function read(command: Record<string, unknown> = {}): Promise<LogPage> {
  const result = await send('SERVICE', { service_id: serviceId, ...command }, 'SUB_LOGS');
  expect(result, JSON.stringify(result.error)).toMatchObject({ outcome: 'done' });
  return result.result;
}

async function request(path: string): Promise<void> {
  await (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })).text();
}

/** Envoy writes access logs with a delay. */
async function logged(path: string, command: Record<string, unknown> = {}): Promise<LogPage> {
  let page: LogPage | undefined;
  await waitFor(`the log of ${path}`, async () => {
    page = await read({ search: path, ...command });
    return new Set(page.logs.map(({ file }) => file)).size === 2;
  });
  if (!page) throw new Error('no answer');
  return page;
}

describe('the logs of a real service', () => {
  it('have the lines of Envoy with times in UTC', async () => {
    const { logs } = await read({ log_type: 'ENVOY', count: 10_000 });
    expect(logs.length).toBeGreaterThan(5);
    expect(logs[0]).toMatchObject({ source: 'envoy', file: 'envoy.log', component: 'main', level: 'info' });
    for (const { timestamp } of logs.slice(0, 5)) {
      const ageMs = Date.now() - Date.parse(timestamp ?? '');
      expect(ageMs).toBeGreaterThan(0);
      expect(ageMs).toBeLessThan(30 * 60_000);
    }
  });

  it('have requests of both access logs, with the level of their status', async () => {
    await request('/bad?first');
    const { logs } = await logged('/bad?first', { log_type: 'ACCESS' });
    expect(logs.map(({ source, level }) => [source, level])).toEqual([
      ['access', 'error'],
      ['access', 'error'],
    ]);
    expect(logs.map(({ file }) => file).toSorted()).toEqual(['access.log', 'envoy.log']);
    expect((await read({ search: '/bad?first', log_type: 'SYSTEM' })).logs).toEqual([]);
    expect((await read({ search: '/bad?first', level: 'critical' })).logs).toEqual([]);
  });

  it('are followed over a rotation, and cursors from before lead to older lines', async () => {
    await request('/bad?first');
    await logged('/bad?first');
    const { newer_cursor: cursor, older_cursor: back } = await read({ count: 1 });
    await request('/?between');
    await logged('/?between');
    // The rotation keeps at most four times its limit.
    const { size } = await stat(join(layout.logDir, 'envoy.log'));
    expect(await rotateLogs(layout, Math.ceil(size / 2))).toBe(1);
    await request('/?after');
    await logged('/?after');
    const { logs, gap } = await read({ cursor, search: 'GET /?' });
    expect(gap).toBe(false);
    expect(logs.map(({ message }) => /\/\?(\w+)/.exec(message)?.[1])).toEqual(['between', 'between', 'after', 'after']);
    const older = await read({ cursor: back, search: 'first', count: 10_000 });
    expect(older.logs.length).toBeGreaterThan(0);
  });

  it('never lead out of the folder of the service, whatever the tenant puts there', async () => {
    const outside = join(folders.base, 'outside.log');
    await writeFile(outside, 'a secret of the host\n');
    await symlink(outside, join(layout.filesDir, 'linked.log'));
    await mkdir(join(layout.filesDir, 'folder.log'));
    await writeFile(join(layout.filesDir, 'x\ny.log'), 'odd name\n');
    const { logs } = await read({ log_type: 'ACCESS', count: 10_000 });
    const text = JSON.stringify(logs);
    expect(text).not.toContain('a secret of the host');
    expect(text).not.toContain('odd name');
    await rm(outside);
  });

  it('refuse a cursor of another log', async () => {
    const { newer_cursor: cursor } = await read();
    expect(await send('CLIENT_LOGS', { cursor })).toMatchObject({ outcome: 'refused', error: { code: 'logs.cursor' } });
    expect(await read({ cursor })).toMatchObject({ gap: false });
  });
});

describe('the logs of a real client', () => {
  it('are those of its agent', async () => {
    const dir = join(folders.dirs.dataDir, 'logs');
    await mkdir(dir, { recursive: true });
    const line = { level: 40, time: Date.parse('2026-02-03T04:05:06Z'), name: 'agent', msg: 'stream.lost', code: 'x' };
    await appendFile(join(dir, 'agent.log'), `${JSON.stringify(line)}\n`);
    expect((await send('CLIENT_LOGS', {})).result.logs).toMatchObject([
      { timestamp: '2026-02-03T04:05:06.000Z', level: 'warn', source: 'agent', message: 'stream.lost code=x' },
    ]);
    expect(await readFile(join(dir, 'agent.log'), 'utf8')).toContain('stream.lost');
  });
});
