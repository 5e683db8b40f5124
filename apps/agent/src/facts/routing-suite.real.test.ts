import { type ChildProcess, spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBgp } from './routing-suite.ts';

let dir: string;
let child: ChildProcess | undefined;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bgp-'));
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await rm(dir, { recursive: true, force: true });
});

/** Shows only these processes of the real /proc, so that a routing suite on this machine does not matter. */
async function look(...pids: readonly (number | undefined)[]) {
  const proc = await mkdtemp(join(dir, 'proc-'));
  for (const pid of [1, 'self', ...pids]) if (pid !== undefined) await symlink(`/proc/${pid}`, join(proc, String(pid)));
  return findBgp(proc);
}

async function start(name: string): Promise<number | undefined> {
  const program = join(dir, name);
  await copyFile('/bin/sleep', program);
  child = spawn(program, ['600'], { stdio: 'ignore' });
  await new Promise((resolve) => child?.once('spawn', resolve));
  return child.pid;
}

describe('BGP', () => {
  it('is on exactly while a BGP daemon runs', async () => {
    const pid = await start('bgpd');
    await expect.poll(async () => (await look(pid)).running).toBe(true);
    expect((await look(pid)).source).toBe(`process bgpd (PID ${pid})`);
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child?.kill('SIGKILL');
    await ended;
    expect(await look(pid)).toMatchObject({ known: true, running: false });
  });

  it('is off if a process only calls itself so', async () => {
    child = spawn(process.execPath, ['-e', "process.title = 'bgpd'; console.log('named'); setInterval(() => 0, 1000)"]);
    await new Promise((resolve) => child?.stdout?.once('data', resolve));
    expect(await look(child.pid)).toMatchObject({ known: true, running: false });
  });

  it('is off for other programs, and for a daemon in another network namespace', async () => {
    expect(await look(await start('zebra'))).toMatchObject({ known: true, running: false });
    const other = join(dir, 'other');
    await mkdir(join(other, '7', 'ns'), { recursive: true });
    await mkdir(join(other, 'self', 'ns'), { recursive: true });
    await mkdir(join(other, '1'));
    await writeFile(join(other, '1', 'comm'), 'init\n');
    await writeFile(join(other, '7', 'comm'), 'bgpd\n');
    await symlink('/usr/lib/frr/bgpd', join(other, '7', 'exe'));
    await symlink('net:[1]', join(other, 'self', 'ns', 'net'));
    await symlink('net:[2]', join(other, '7', 'ns', 'net'));
    expect(await findBgp(other)).toMatchObject({ known: true, running: false });
    await rm(join(other, '7', 'ns', 'net'));
    await symlink('net:[1]', join(other, '7', 'ns', 'net'));
    expect(await findBgp(other)).toMatchObject({ known: true, running: true });
  });

  it('is unknown where the processes of others are hidden', async () => {
    expect(await findBgp(dir)).toMatchObject({ known: false, source: expect.stringContaining('hidden') });
  });
});
