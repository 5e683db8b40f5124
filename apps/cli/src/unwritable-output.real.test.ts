import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePorts } from '@flotilla/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EXIT } from './operator/exit-codes.ts';

const ENTRY = fileURLToPath(new URL('./entry.ts', import.meta.url));
const POLICY = 'apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata: { name: p }\nspec: { domains: [] }\n';

/** Where the output goes, as a shell says it; the last is a pipe that is full from the start, and that nobody reads. */
const PLACES = {
  'a disk that is full': 'exec "$@" >/dev/full 2>&1',
  'a pipe that nobody reads': 'exec > >(exec sleep 300) 2>&1; head -c 65536 /dev/zero; exec "$@"',
  'a pipe whose reader is gone': 'exec > >(exit 0) 2>&1; sleep 0.5; exec "$@"',
};

/** Of the program and the reader that it was given. */
function endGroup(leader: ChildProcess | undefined): void {
  try {
    if (leader?.pid !== undefined) process.kill(-leader.pid, 'SIGKILL');
  } catch {
    // None of them is left.
  }
}

let folder: string;
let child: ChildProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-unwritable-'));
  // The database server's user passes through.
  await chmod(folder, 0o755);
});
afterEach(async () => {
  endGroup(child);
  child = undefined;
  await rm(folder, { recursive: true, force: true });
});

function start(place: string, argv: readonly string[]) {
  const script = ['-c', place, 'bash', process.execPath, ENTRY, ...argv];
  const program = spawn('bash', script, { stdio: 'ignore', detached: true, env: { PATH: process.env.PATH } });
  child = program;
  const ended = once(program, 'exit');
  const begins = async (url: string) => {
    const isReady = async () => (await fetch(url)).ok;
    const ready = vi.waitUntil(() => isReady().catch(() => false), { timeout: 50_000, interval: 100 });
    expect(await Promise.race([ready, ended.then((end) => `ended with ${end}`)])).toBe(true);
  };
  const stop = async () => {
    const since = performance.now();
    program.kill('SIGTERM');
    const end = await ended;
    return { end, seconds: (performance.now() - since) / 1000 };
  };
  return { ended, begins, stop };
}

describe.each(Object.entries(PLACES))('a program that writes to %s', (_, place) => {
  it('guards on when it is a filter, takes new policies, and stops when it is asked to', async () => {
    const [port, adminPort] = await findFreePorts(2);
    const file = join(folder, 'p.yaml');
    await writeFile(file, POLICY);
    const argv = ['--policy', folder, '--listen', `127.0.0.1:${port}`, '--admin', `127.0.0.1:${adminPort}`];
    const { begins, stop } = start(place, ['shield', ...argv]);
    const admin = `http://127.0.0.1:${adminPort}`;
    await begins(`${admin}/readyz`);
    await writeFile(file, 'kind: nonsense');
    const read = async () => {
      const text = await (await fetch(`${admin}/metrics`)).text();
      return text.split('\n').filter((line) => /reloads|dropped/.test(line));
    };
    await vi.waitFor(
      async () => expect(await read()).toContain('flotilla_shield_config_reloads_total{result="failed"} 1'),
      20_000,
    );
    await begins(`${admin}/readyz`);
    expect(await read()).toContain('flotilla_shield_log_lines_dropped_total 0');
    const { end, seconds } = await stop();
    expect(end).toEqual([0, null]);
    expect(seconds).toBeLessThan(8);
  });

  it('runs on when it is a controller, and stops when it is asked to', async () => {
    const [port, grpcPort] = await findFreePorts(2);
    const argv = ['--data', folder, '--port', `${port}`, '--grpc-port', `${grpcPort}`];
    // Without a password of the first owner one is printed, besides the log.
    const { begins, stop } = start(place, ['controller', ...argv]);
    await begins(`http://127.0.0.1:${port}/readyz`);
    expect((await stop()).end).toEqual([0, null]);
  });
});

it('an answer that cannot be written fails the command that was asked for it, and says why in one line', async () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [ENTRY, '--help'], { stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  expect(String(stderr)).toBe('flotilla: the answer cannot be written: ENOSPC: no space left on device, write\n');
  expect(status).toBe(EXIT.failed);
});
