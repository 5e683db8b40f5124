import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureTestEnvoy, findFreePorts, isRunning, TEST_ENVOY_CACHE_DIR } from '@flotilla/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EXIT } from './operator/exit-codes.ts';

const ENTRY = fileURLToPath(new URL('./entry.ts', import.meta.url));

/** Starts the command line; `closed` is the stream that nobody reads. */
function start(argv: readonly string[], closed: 'stdout' | 'stderr', env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(process.execPath, [ENTRY, ...argv], { stdio: ['ignore', 'pipe', 'pipe'], env });
  child[closed].destroy();
  child[closed === 'stdout' ? 'stderr' : 'stdout'].resume();
  return child;
}

/** Returns the exit code. */
async function run(argv: readonly string[], closed: 'stdout' | 'stderr'): Promise<unknown> {
  return (await once(start(argv, closed), 'exit'))[0];
}

it('a command succeeds if the reader of its output exits early', async () => {
  expect(await run(['--help'], 'stdout')).toBe(EXIT.ok);
});

it('a command ends with the same exit code if nobody reads standard error', async () => {
  expect(await run(['whoami', '--url', 'http://127.0.0.1:9'], 'stderr')).toBe(EXIT.forbidden);
  expect(await run(['frobnicate'], 'stderr')).toBe(EXIT.usage);
});

describe('if nobody reads the output any more,', () => {
  let folder: string;
  let child: ChildProcess | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-unread-'));
    // The user of the database server needs access.
    await chmod(folder, 0o755);
  });
  afterEach(async () => {
    if (child?.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    child = undefined;
    await rm(folder, { recursive: true, force: true });
  });

  it('a controller keeps running and stops on request', async () => {
    const [port, grpcPort] = await findFreePorts(2);
    const argv = ['controller', '--data', folder, '--port', `${port}`, '--grpc-port', `${grpcPort}`];
    // Without SVC_FIRST_OWNER_PASSWORD, the controller prints a password in addition to the log.
    const controller = start(argv, 'stdout', { PATH: process.env.PATH });
    child = controller;
    const ended = once(controller, 'exit');
    const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
    const ready = vi.waitUntil(() => isReady().catch(() => false), { interval: 100 });
    expect(await Promise.race([ready, ended.then(([code]) => `ended with ${code}`)])).toBe(true);
    controller.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  describe('`up`', () => {
    const startUp = async (closed: 'stdout' | 'stderr') => {
      await ensureTestEnvoy();
      const [port, grpcPort, proxyPort] = await findFreePorts(3);
      const ports = ['--port', `${port}`, '--grpc-port', `${grpcPort}`, '--proxy-port', `${proxyPort}`];
      const env = { PATH: process.env.PATH, FLOTILLA_CACHE: dirname(TEST_ENVOY_CACHE_DIR) };
      const up = start(['up', '--data', folder, ...ports], closed, env);
      child = up;
      return up;
    };
    const readChildren = async () =>
      JSON.parse(await readFile(join(folder, 'up.pids'), 'utf8')) as { readonly pid: number }[];

    it('stops with everything it has started', async () => {
      const [code] = await once(await startUp('stdout'), 'exit');
      expect(code).toBe(130);
      const children = await readChildren();
      expect(children).toHaveLength(1);
      for (const { pid } of children) expect(await isRunning(pid)).toBe(false);
    });

    it('stops with everything it has started when its terminal is closed', async () => {
      const up = await startUp('stderr');
      const children = await vi.waitFor(readChildren);
      up.kill('SIGHUP');
      expect(await once(up, 'exit')).toEqual([130, null]);
      for (const { pid } of children) expect(await isRunning(pid)).toBe(false);
    });
  });
});
