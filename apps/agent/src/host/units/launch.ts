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
 * Descriptors: 1 tells the process number, 3 is the gate, 4 the log. The program waits behind the gate until a line comes
 * through, and goes away when the gate closes without one.
 */
const SCRIPT = '{ read -r go <&3 && exec "$@" 3<&- 4>&-; } </dev/null >&4 2>&4 & echo $!';

/**
 * Starts a program that is nobody's child. Envoy asks the kernel to be ended with its parent (PR_SET_PDEATHSIG, where hot
 * restart is on), so a program that is to outlive the agent must have lost its parent before it begins. `beforeStart` is given
 * the process while it still waits: when the agent dies before that is done, the program never begins.
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
  if (!gate || !('write' in gate) || !output) throw new Error('the pipes to the shell are missing');
  // A program that ends before it reads leaves a broken pipe behind: its end is noticed by other means
  gate.on('error', () => undefined);
  try {
    const ended = new Promise<void>((resolve, reject) => {
      shell.once('exit', () => resolve());
      shell.once('error', reject);
    });
    const [told] = await Promise.all([text(output), ended]);
    const process = readProcess(Number(told.trim()));
    if (!process) throw new Error(`${command[0]} could not be started`);
    await beforeStart(process);
    gate.write('go\n');
    return process;
  } finally {
    gate.end();
  }
}
