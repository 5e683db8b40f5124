import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isProcessAlive, sleep } from '@flotilla/kit';

/** Who runs `flotilla up` in a data folder, and the programs it started: so that a start after a crash can tidy up. */
interface RunRecord {
  readonly pid: number;
  readonly children: readonly number[];
}

const STOP_GRACE_MS = 10_000;

/** The process id of another `flotilla up` that is alive in this folder. */
export async function findRunningUp(dataDir: string): Promise<number | undefined> {
  const record = await readRecord(dataDir);
  if (!record || record.pid === process.pid || !(await isOurs(record.pid))) return undefined;
  return record.pid;
}

/** Ends programs that a killed `flotilla up` left behind. Proxies stay: the agent takes them over. */
export async function stopLeftovers(dataDir: string): Promise<void> {
  const record = await readRecord(dataDir);
  for (const pid of record?.children ?? []) {
    if (!(await isOurs(pid))) continue;
    process.kill(pid, 'SIGTERM');
    const deadline = Date.now() + STOP_GRACE_MS;
    while ((await isProcessAlive(pid)) && Date.now() < deadline) await sleep(50);
    if (await isOurs(pid)) process.kill(pid, 'SIGKILL');
  }
}

export async function recordRun(dataDir: string, children: readonly number[]): Promise<void> {
  await writeFile(join(dataDir, 'up.pids'), JSON.stringify({ pid: process.pid, children }), { mode: 0o600 });
}

async function readRecord(dataDir: string): Promise<RunRecord | undefined> {
  const text = await readFile(join(dataDir, 'up.pids'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as RunRecord);
}

/** A process id may have been given to somebody else since: ours carry our name in their command line. */
async function isOurs(pid: number): Promise<boolean> {
  if (!(await isProcessAlive(pid))) return false;
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => 'flotilla');
  return commandLine.includes('flotilla') || commandLine.includes('entry.ts');
}
