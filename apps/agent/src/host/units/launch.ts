import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, type FileHandle, open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type ProcessRef, readProcess } from '@flotilla/kit';

export interface Launch {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workDir: string;
  readonly logFile: string;
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Descriptors: 1 returns the process id, 3 is the gate and 4 is the log. The program starts when a line arrives through the gate.
 * If the gate closes without a line, the shell exits.
 */
const SCRIPT = '{ read -r go <&3 && exec "$@" 3<&- 4>&-; } </dev/null >&4 2>&4 & echo $!';

/**
 * Starts a program without a parent. With hot restart, Envoy asks the kernel to end it with its parent (PR_SET_PDEATHSIG), so a
 * program that must outlive the agent needs to lose its parent before it starts. `beforeStart` gets the waiting process. If
 * the agent dies before `beforeStart` resolves, the program never starts.
 */
export async function launchOrphan(
  launch: Launch,
  beforeStart: (process: ProcessRef) => Promise<void>,
): Promise<ProcessRef> {
  await access(launch.command[0] ?? '', constants.X_OK);
  const log = await open(launch.logFile, 'a', 0o640);
  try {
    return await launchWith(launch, log, beforeStart);
  } finally {
    await log.close();
  }
}

async function launchWith(
  launch: Launch,
  log: FileHandle,
  beforeStart: (process: ProcessRef) => Promise<void>,
): Promise<ProcessRef> {
  const { command, env, workDir, uid, gid } = launch;
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sh', ...command], {
    cwd: workDir,
    env,
    stdio: ['ignore', 'pipe', log.fd, 'pipe', log.fd],
    detached: true,
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  });
  const gate = shell.stdio[3];
  const output = shell.stdout;
  if (!gate || !('write' in gate) || !output) throw new Error('the shell was started without its pipes');
  // The pipe breaks if the program ends before it reads. The runner notices the end in another way.
  gate.on('error', () => undefined);
  try {
    const ended = new Promise<void>((resolve, reject) => {
      shell.once('exit', () => resolve());
      shell.once('error', reject);
    });
    const [pid] = await Promise.all([text(output), ended]);
    const process = readProcess(Number(pid.trim()));
    if (!process) throw new Error(`${command[0]} ended before it could be started`);
    await beforeStart(process);
    gate.write('go\n');
    return process;
  } finally {
    gate.end();
  }
}
