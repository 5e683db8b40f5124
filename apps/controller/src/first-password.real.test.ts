import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { findFreePorts, type TestDatabase } from '@flotilla/testkit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runController } from './main.ts';
import { toUrl } from './platform/presence/testing/process.ts';
import { createControllerDatabase } from './testing/database.ts';

let folder: string;
let file: string;
let database: TestDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-first-password-'));
  file = join(folder, 'data', 'first-owner-password');
  database = await createControllerDatabase();
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(dataDir = join(folder, 'data')) {
  const [port = 0] = await findFreePorts(1);
  const stop = new AbortController();
  const stdout = new PassThrough();
  const env = { SVC_DATABASE_URL: toUrl(database.server.connection(database.name)), SVC_MASTER_KEY: 'ab'.repeat(32) };
  const argv = ['--data', dataDir, '--log-level', 'fatal', '--port', `${port}`, '--grpc-port', '0'];
  const ended = runController(argv, { env, stdout, stderr: new PassThrough(), signal: stop.signal });
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  const begun = vi.waitUntil(isReady, { interval: 50 }).then(() => 'runs' as const);
  return {
    code: await Promise.race([begun, ended]),
    said: () => String(stdout.read()),
    signIn: async (password: string) => {
      const body = JSON.stringify({ username: 'admin', password });
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`http://127.0.0.1:${port}/auth/login`, { method: 'POST', headers, body })).status;
    },
    stop: async () => {
      stop.abort();
      expect(await ended).toBe(0);
    },
  };
}

const isThere = () =>
  stat(file).then(
    () => true,
    () => false,
  );

it("the first owner's password stays readable until somebody has signed in with it, even after a restart", async () => {
  const first = await start();
  const password = (await readFile(file, 'utf8')).trim();
  expect(first.said()).toContain(
    `with the password ${password}\nUntil somebody has signed in with it, it also stands in ${file}\n`,
  );
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await first.stop();
  const second = await start();
  expect(await second.signIn('not this one')).toBe(401);
  expect(await readFile(file, 'utf8')).toBe(`${password}\n`);
  expect(await second.signIn(password)).toBe(200);
  await vi.waitUntil(async () => !(await isThere()), { interval: 50 });
  await second.stop();
});

it('the first password is deleted when somebody signs in on another controller', async () => {
  const first = await start();
  const other = await start(join(folder, 'other'));
  expect(other.code).toBe('runs');
  expect(await readdir(join(folder, 'other'))).not.toContain('first-owner-password');
  expect(await other.signIn((await readFile(file, 'utf8')).trim())).toBe(200);
  await vi.waitUntil(async () => !(await isThere()), { interval: 50 });
  await other.stop();
  await first.stop();
});

it('without a place for the first password nobody owns the installation, and the next start creates another one', async () => {
  await mkdir(file, { recursive: true });
  expect((await start()).code).toBe(1);
  await rm(file, { recursive: true });
  const second = await start();
  expect(await second.signIn((await readFile(file, 'utf8')).trim())).toBe(200);
  await second.stop();
});
