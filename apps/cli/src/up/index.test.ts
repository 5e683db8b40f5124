import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { readProcess } from '@flotilla/kit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runUp } from './index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-up-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Answers with the exit code and what it says. */
async function up(dataDir: string, ...more: string[]): Promise<{ code: number; said: string }> {
  const stderr = new PassThrough();
  const { signal } = new AbortController();
  const argv = ['--data', dataDir, '--port', '1', '--grpc-port', '2', ...more];
  const code = await runUp(argv, { env: {}, stdout: new PassThrough(), stderr, signal, command: ['false'] });
  return { code, said: String(stderr.read()) };
}

it('keeps off a folder in which another one runs, whatever the other one is called', async () => {
  const other = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(other, 'spawn');
  await writeFile(join(folder, 'up.lock'), JSON.stringify(readProcess(other.pid ?? 0)));
  const { code, said } = await up(folder);
  other.kill('SIGKILL');
  expect(code).toBe(1);
  expect(said).toContain(`it already runs in ${folder} (process ${other.pid})`);
});

it('says that a file is no data folder', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  const { code, said } = await up(file);
  expect(code).toBe(1);
  expect(said).toMatch(/^flotilla up: .*file cannot be the data folder \(.*\)\. Choose another: --data DIR\.\n$/);
});

it.runIf(process.platform === 'linux')('says that no data folder can be made below /proc', async () => {
  expect(await up('/proc/flotilla')).toEqual({
    code: 1,
    said: 'flotilla up: /proc/flotilla cannot be the data folder (no folder can be made in /proc). Choose another: --data DIR.\n',
  });
});

it.each([
  ['the first start', undefined],
  ['a start at another port than before', { password: '', seeded: { upstreamPort: 3, proxyPort: 4 } }],
])('at %s, does not wait for traffic at a port that another program has', async (_, state) => {
  if (state) await writeFile(join(folder, 'up.json'), JSON.stringify(state));
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { code, said } = await up(folder, '--proxy-port', String(port));
  other.close();
  expect(code).toBe(1);
  expect(said).toBe(
    `flotilla up: port ${port} is in use by another program. Stop that program, or choose another port: --proxy-port ${port + 1}\n`,
  );
});

it('ends the proxies of an agent that was killed before it forgets them with --reset, and lets others be', async () => {
  // The user that root would run proxies as passes through.
  await chmod(folder, 0o755);
  const listenOnce =
    'require("net").createServer().listen(0, "127.0.0.1", function () { console.log(this.address().port) })';
  const left = spawn(process.execPath, ['-e', listenOnce], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [port] = await once(left.stdout, 'data');
  const [service, units] = ['services', 'units'].map((name) => join(folder, 'agent', name, '0123456789ab'));
  await Promise.all([service, units].map((path) => mkdir(path ?? '', { recursive: true })));
  const { pid, startTime } = readProcess(left.pid ?? 0) ?? { pid: 0, startTime: '' };
  await writeFile(join(units ?? '', 'envoy-1.pid'), `${pid} ${startTime}\n`);
  await writeFile(join(units ?? '', 'envoy-0.pid'), `${process.pid} another:start\n`);
  const ended = once(left, 'exit');
  const restPort = createServer().listen(0, '127.0.0.1');
  await once(restPort, 'listening');
  const taken = (restPort.address() as AddressInfo).port;
  const { said } = await up(folder, '--reset', '--port', String(taken), '--proxy-port', String(port).trim());
  restPort.close();
  expect(said).toContain(`port ${taken} is in use by another program`);
  expect(await ended).toEqual([null, 'SIGTERM']);
});
