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

/** Returns the exit code and the text on standard error. */
async function up(dataDir: string, ...more: string[]): Promise<{ code: number; stderrText: string }> {
  const stderr = new PassThrough();
  const { signal } = new AbortController();
  const argv = ['--data', dataDir, '--port', '1', '--grpc-port', '2', ...more];
  const code = await runUp(argv, { env: {}, stdout: new PassThrough(), stderr, signal, command: ['false'] });
  return { code, stderrText: String(stderr.read()) };
}

it('flotilla up refuses a folder in which another one runs, whatever the name of its process', async () => {
  const other = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(other, 'spawn');
  await writeFile(join(folder, 'up.lock'), JSON.stringify(readProcess(other.pid ?? 0)));
  const { code, stderrText } = await up(folder);
  other.kill('SIGKILL');
  expect(code).toBe(1);
  expect(stderrText).toContain(`another one already runs in ${folder} (process ${other.pid})`);
});

it('flotilla up refuses a file as data folder', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  const { code, stderrText } = await up(file);
  expect(code).toBe(1);
  expect(stderrText).toMatch(/^flotilla up: .*file cannot be the data folder \(.*\)\. Choose another: --data DIR\.\n$/);
});

it.runIf(process.platform === 'linux')('flotilla up refuses a data folder that cannot be created', async () => {
  expect(await up('/proc/flotilla')).toEqual({
    code: 1,
    stderrText:
      'flotilla up: /proc/flotilla cannot be the data folder (no folder can be made in /proc). Choose another: --data DIR.\n',
  });
});

it.each([
  ['the first start', undefined],
  ['a start with another port than the previous one', { password: '', seeded: { upstreamPort: 3, proxyPort: 4 } }],
])('at %s, flotilla up refuses a port that another program uses', async (_, state) => {
  if (state) await writeFile(join(folder, 'up.json'), JSON.stringify(state));
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { code, stderrText } = await up(folder, '--proxy-port', String(port));
  other.close();
  expect(code).toBe(1);
  expect(stderrText).toBe(
    `flotilla up: port ${port} is in use by another program. Stop that program, or choose another port: --proxy-port ${port + 1}\n`,
  );
});

it('flotilla up --reset ends the proxies of a killed agent, and no other processes', async () => {
  // The user that runs the proxies of root needs access.
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
  const { stderrText } = await up(folder, '--reset', '--port', String(taken), '--proxy-port', String(port).trim());
  restPort.close();
  expect(stderrText).toContain(`port ${taken} is in use by another program`);
  expect(await ended).toEqual([null, 'SIGTERM']);
});
