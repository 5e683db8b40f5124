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

/** `closed` is the stream that nobody reads. */
function start(argv: readonly string[], closed: 'stdout' | 'stderr', env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(process.execPath, [ENTRY, ...argv], { stdio: ['ignore', 'pipe', 'pipe'], env });
  child[closed].destroy();
  child[closed === 'stdout' ? 'stderr' : 'stdout'].resume();
  return child;
}

/** Answers with the exit code. */
async function run(argv: readonly string[], closed: 'stdout' | 'stderr'): Promise<unknown> {
  return (await once(start(argv, closed), 'exit'))[0];
}

it('a reader of the answer that goes away early is no error', async () => {
  expect(await run(['--help'], 'stdout')).toBe(EXIT.ok);
});

it('remarks that nobody reads change nothing of how a command ends', async () => {
  expect(await run(['whoami', '--url', 'http://127.0.0.1:9'], 'stderr')).toBe(EXIT.forbidden);
  expect(await run(['frobnicate'], 'stderr')).toBe(EXIT.usage);
});

describe('a program whose output nobody reads any more', () => {
  let folder: string;
  let child: ChildProcess | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-unread-'));
    // The database server's user passes through.
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

  it('runs on when it is a controller, and stops when it is asked to', async () => {
    const [port, grpcPort] = await findFreePorts(2);
    const argv = ['controller', '--data', folder, '--port', `${port}`, '--grpc-port', `${grpcPort}`];
    // Without a password of the first owner one is printed, besides the log.
    const controller = start(argv, 'stdout', { PATH: process.env.PATH });
    child = controller;
    const ended = once(controller, 'exit');
    const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
    const ready = vi.waitUntil(() => isReady().catch(() => false), { timeout: 50_000, interval: 100 });
    expect(await Promise.race([ready, ended.then(([code]) => `ended with ${code}`)])).toBe(true);
    controller.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  describe('that is `up`', () => {
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

    it('is stopped, with what it has started', async () => {
      const [code] = await once(await startUp('stdout'), 'exit');
      expect(code).toBe(130);
      const children = await readChildren();
      expect(children).toHaveLength(1);
      for (const { pid } of children) expect(await isRunning(pid)).toBe(false);
    });

    it('is stopped, with what it has started, when its terminal is closed', async () => {
      const up = await startUp('stderr');
      const children = await vi.waitFor(readChildren, 20_000);
      up.kill('SIGHUP');
      expect(await once(up, 'exit')).toEqual([130, null]);
      for (const { pid } of children) expect(await isRunning(pid)).toBe(false);
    });
  });
});
