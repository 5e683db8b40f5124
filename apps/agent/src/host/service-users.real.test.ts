import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger } from '@flotilla/kit';
import { findFreePort } from '@flotilla/kit/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { AdminForwarder } from './admin-forwarder.ts';
import type { IdMap } from './identity.ts';
import { ServiceUsers } from './service-users.ts';
import { ConnectionOwners } from './tcp-owner.ts';

const NARROW: IdMap = [[0, 65_536]];
const logger = createSilentLogger();

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'su-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const open = (mapped?: IdMap) => new ServiceUsers({ dataDir, logger, ...(mapped && { mapped }) });

/** The result of a request by a program of this user: 'cut' or 'answered'. */
async function askAs(uid: number, port: number, from: object = {}): Promise<string> {
  const script = `require('net').connect(${JSON.stringify({ host: '127.0.0.1', port, ...from })}).on('data',()=>{console.log('answered');process.exit()})
    .on('close',()=>{console.log('cut');process.exit()}).on('error',()=>{}).write('GET /ready HTTP/1.1\\r\\nhost: localhost\\r\\n\\r\\n')`;
  const program = spawn(process.execPath, ['-e', script], {
    uid,
    gid: uid,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const chunk of program.stdout) said += String(chunk);
  return said.trim();
}

describe.runIf(process.getuid?.() === 0)('the users of services', () => {
  it('in a narrow user namespace a service is recognised by the user id that it was given (attack 13)', async () => {
    const users = open(NARROW);
    const identity = await users.identityOf('0123456789ab', undefined);
    expect(identity?.uid).toBeGreaterThanOrEqual(30_000);
    expect(users.isServiceUid(identity?.uid ?? 0)).toBe(true);
    expect([0, 1_000, 29_999, 50_000].map((uid) => users.isServiceUid(uid))).toEqual([false, false, false, false]);
    const wide = open();
    await wide.read();
    expect(wide.isServiceUid(identity?.uid ?? 0)).toBe(true);
  });

  it('a service with a number of a narrow namespace is cut off at the admin port of another (attack 13)', async () => {
    const users = open(NARROW);
    const identity = await users.identityOf('0123456789ab', undefined);
    const port = await findFreePort();
    const forwarder = new AdminForwarder({
      logger,
      target: () => undefined,
      isServiceUid: (uid) => users.isServiceUid(uid),
      owners: new ConnectionOwners(),
      onProblem: () => undefined,
    });
    forwarder.listen(port);
    await expect.poll(() => canConnect(port)).toBe(true);
    expect(await askAs(identity?.uid ?? 0, port)).toBe('cut');
    expect(await askAs(1_234, port)).toBe('answered');
    await forwarder.close();
  });

  it.each([
    ['another address and the same port', '127.0.0.2', '127.0.0.1'],
    ['the same port of an IPv6 socket', '::ffff:127.0.0.2', '::ffff:127.0.0.1'],
  ])('a service that connects to the admin port of another from %s is cut off (attack 13)', async (_, from, host) => {
    const service = 1_900_000_007;
    const port = await findFreePort();
    const forwarder = new AdminForwarder({
      logger,
      target: () => undefined,
      isServiceUid: (uid) => uid === service,
      owners: new ConnectionOwners(),
      onProblem: () => undefined,
    });
    forwarder.listen(port);
    await expect.poll(() => canConnect(port)).toBe(true);
    const source = { host, localAddress: from, localPort: port };
    expect(await askAs(service, port, source)).toBe('cut');
    expect(await askAs(1_234, port, source)).toBe('answered');
    await forwarder.close();
  });

  it('a number is never given to another service, not even after its first one has gone (attack 3)', async () => {
    const map: IdMap = [[0, 30_002]];
    const first = await open(map).identityOf('aaaaaaaaaaaa', undefined);
    const users = open(map);
    const second = await users.identityOf('bbbbbbbbbbbb', undefined);
    expect(new Set([first?.uid, second?.uid])).toEqual(new Set([30_000, 30_001]));
    await expect(users.identityOf('cccccccccccc', undefined)).rejects.toThrow('every user id');
    expect(await users.identityOf('aaaaaaaaaaaa', undefined)).toEqual(first);
    expect(statSync(join(dataDir, 'users.json')).mode & 0o777).toBe(0o600);
  });

  it('a number with which programs of somebody else run is not given to a service (attack 3)', async () => {
    const stranger = spawn('sleep', ['60'], { uid: 30_000, gid: 30_000, cwd: '/', stdio: 'ignore' });
    await new Promise((resolve) => stranger.once('spawn', resolve));
    const given = await open([[0, 30_002]]).identityOf('aaaaaaaaaaaa', undefined);
    stranger.kill();
    expect(given?.uid).toBe(30_001);
  });

  it('a service keeps the user that its own state names, and that one is remembered', async () => {
    writeFileSync(join(dataDir, 'users.json'), '{ broken');
    expect(await open().identityOf('aaaaaaaaaaaa', 1_900_000_099)).toEqual({ uid: 1_900_000_099, gid: 1_900_000_099 });
    expect(JSON.parse(readFileSync(join(dataDir, 'users.json'), 'utf8'))).toEqual({ aaaaaaaaaaaa: 1_900_000_099 });
  });
});

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}
