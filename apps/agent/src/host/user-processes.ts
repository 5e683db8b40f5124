import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { isSameProcess, type ProcessRef, readProcess, signalProcess, sleep } from '@flotilla/kit';

const TIMEOUT_MS = 10_000;
/** A process of the user may stop the helper before it has killed anything. */
const HELPER_TIMEOUT_MS = 2_000;
const POLL_MS = 20;
const FREEZE_ROUNDS = 50;

/** Calls kill(2) with -1 as that user. The kernel signals every process of the user in one step, so none can escape with a fork. */
const KILL_ALL = `const uid = Number(process.argv[1]);
process.setuid(uid);
if (uid > 0 && process.getuid() === uid && process.geteuid() === uid) process.kill(-1, 'SIGKILL');`;

export interface EndProcessesOptions {
  /** Sends SIGKILL to all processes of a user in one step. Rejects if it cannot. */
  readonly killAll?: (uid: number) => Promise<void>;
  readonly timeoutMs?: number;
}

/** Returns every process with this real, effective, saved or file system user id, except zombies. */
export function findProcessesOf(uid: number): ProcessRef[] {
  return findProcesses((pid) => readUids(pid).includes(uid));
}

/** Returns the real user of a process, or undefined if it is gone. */
export function readUid(pid: number): number | undefined {
  return readUids(pid)[0];
}

/**
 * Ends every process of a service's user, including those that try to escape with a separate session, a cleared environment,
 * grandchildren or forks during the kill. Rejects if some are left after the timeout, and for root and the agent's own user.
 */
export async function endProcessesOf(uid: number, options: EndProcessesOptions = {}): Promise<void> {
  const { killAll = killAllAsUser, timeoutMs = TIMEOUT_MS } = options;
  if (!Number.isInteger(uid) || uid <= 0 || uid === process.getuid?.())
    throw new Error(`${uid} is not a service's user`);
  const until = performance.now() + timeoutMs;
  // Kill at least once, even if none is found: a scan can miss a program that keeps forking.
  for (let left: ProcessRef[] | undefined; left === undefined || left.length > 0; left = findProcessesOf(uid)) {
    if (left && performance.now() > until) throw new Error(`${left.length} processes of user ${uid} cannot be ended`);
    // The helper may fail: there may be too many processes, or the user's own may stop it. Kill them one by one instead.
    await killAll(uid).catch(() => endFrozen(() => findProcessesOf(uid)));
    await waitGone(findProcessesOf(uid));
  }
}

/** Stops all processes that `find` returns, so that they cannot fork, and then kills them. For processes without a separate user. */
export async function endFrozen(find: () => ProcessRef[]): Promise<void> {
  const frozen = new Set<string>();
  for (let round = 0; round < FREEZE_ROUNDS; round += 1) {
    const fresh = find().filter((one) => !frozen.has(nameOf(one)));
    if (fresh.length === 0) break;
    for (const one of fresh) {
      signalProcess(one, 'SIGSTOP');
      frozen.add(nameOf(one));
    }
  }
  const all = find();
  for (const one of all) signalProcess(one, 'SIGKILL');
  await waitGone(all);
}

function nameOf({ pid, startTime }: ProcessRef): string {
  return `${pid} ${startTime}`;
}

async function waitGone(processes: readonly ProcessRef[]): Promise<void> {
  const until = performance.now() + 1_000;
  while (processes.some(isSameProcess) && performance.now() < until) await sleep(POLL_MS);
}

async function killAllAsUser(uid: number): Promise<void> {
  const helper = spawn(process.execPath, ['-e', KILL_ALL, String(uid)], {
    env: {},
    cwd: '/',
    stdio: 'ignore',
    timeout: HELPER_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    helper.once('error', reject);
    helper.once('exit', resolve);
  });
  if (code !== 0) throw new Error(`the processes of user ${uid} could not be ended as that user`);
}

function findProcesses(isWanted: (pid: number) => boolean): ProcessRef[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((entry) => {
    const pid = /^\d+$/.test(entry) ? Number(entry) : 0;
    return (pid > 0 && isWanted(pid) ? readProcess(pid) : undefined) ?? [];
  });
}

/** Returns the real, effective, saved and file system user id. */
function readUids(pid: number): number[] {
  try {
    const ids = /^Uid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
    return ids.split(/\s+/).map(Number);
  } catch {
    return [];
  }
}
