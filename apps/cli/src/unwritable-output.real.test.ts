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

/** Shell commands that redirect the output. The pipe that nobody reads is full from the start. */
const PLACES = {
  'a full disk': 'exec "$@" >/dev/full 2>&1',
  'a pipe that nobody reads': 'exec > >(exec sleep 300) 2>&1; head -c 65536 /dev/zero; exec "$@"',
  'a pipe without a reader': 'exec > >(exit 0) 2>&1; sleep 0.5; exec "$@"',
};

/** Kills the program and the reader of its output. */
function endGroup(leader: ChildProcess | undefined): void {
  try {
    if (leader?.pid !== undefined) process.kill(-leader.pid, 'SIGKILL');
  } catch {
    // The processes have already ended.
  }
}

let folder: string;
let child: ChildProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-unwritable-'));
  // The user of the database server needs access.
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
  const waitUntilReady = async (url: string) => {
    const isReady = async () => (await fetch(url)).ok;
    const ready = vi.waitUntil(() => isReady().catch(() => false), { interval: 100 });
    expect(await Promise.race([ready, ended.then((end) => `ended with ${end}`)])).toBe(true);
  };
  const stop = async () => {
    const since = performance.now();
    program.kill('SIGTERM');
    const end = await ended;
    return { end, seconds: (performance.now() - since) / 1000 };
  };
  return { ended, waitUntilReady, stop };
}

describe.each(Object.entries(PLACES))('with output to %s,', (_, place) => {
  it('a filter keeps running, reloads policies and stops on request', async () => {
    const [port, adminPort] = await findFreePorts(2);
    const file = join(folder, 'p.yaml');
    await writeFile(file, POLICY);
    const argv = ['--policy', folder, '--listen', `127.0.0.1:${port}`, '--admin', `127.0.0.1:${adminPort}`];
    const { waitUntilReady, stop } = start(place, ['shield', ...argv]);
    const admin = `http://127.0.0.1:${adminPort}`;
    await waitUntilReady(`${admin}/readyz`);
    await writeFile(file, 'kind: nonsense');
    const read = async () => {
      const text = await (await fetch(`${admin}/metrics`)).text();
      return text.split('\n').filter((line) => /reloads|dropped/.test(line));
    };
    await vi.waitFor(async () =>
      expect(await read()).toContain('flotilla_shield_config_reloads_total{result="failed"} 1'),
    );
    await waitUntilReady(`${admin}/readyz`);
    expect(await read()).toContain('flotilla_shield_log_lines_dropped_total 0');
    const { end, seconds } = await stop();
    expect(end).toEqual([0, null]);
    expect(seconds).toBeLessThan(8);
  });

  it('a controller keeps running and stops on request', async () => {
    const [port, grpcPort] = await findFreePorts(2);
    const argv = ['--data', folder, '--port', `${port}`, '--grpc-port', `${grpcPort}`];
    // Without SVC_FIRST_OWNER_PASSWORD, the controller prints a password in addition to the log.
    const { waitUntilReady, stop } = start(place, ['controller', ...argv]);
    await waitUntilReady(`http://127.0.0.1:${port}/readyz`);
    expect((await stop()).end).toEqual([0, null]);
  });
});

it('a command whose output cannot be written fails and prints the reason in one line', async () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [ENTRY, '--help'], { stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  expect(String(stderr)).toBe('flotilla: the output cannot be written: ENOSPC: no space left on device, write\n');
  expect(status).toBe(EXIT.failed);
});
