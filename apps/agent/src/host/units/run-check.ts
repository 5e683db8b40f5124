import { type ExecFileException, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { err, ok, type Result, Turns } from '@flotilla/kit';
import type { ServiceIdentity } from '../identity.ts';
import { untilAborted } from '../serial-loop.ts';
import { dropPrivileges, findProgram } from './privileges.ts';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
/** Each check uses a whole core, so only two run at the same time. */
const turns = new Turns({ atOnce: 2 });

export interface CheckCommand {
  readonly command: readonly string[];
  readonly identity: ServiceIdentity | undefined;
  readonly workDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * The output of a failed check, `aborted` if the caller no longer waits for the result, or `killed` if somebody else ended the program: that says nothing
 * about what it checked.
 */
export type CheckFailure =
  | { readonly type: 'aborted' }
  | { readonly type: 'killed'; readonly message: string }
  | { readonly type: 'failed'; readonly stderr: string; readonly stdout: string; readonly message: string };

/** Runs a program as the service's user until it exits. Exit code 0 is success. */
export async function runCheck(check: CheckCommand): Promise<Result<undefined, CheckFailure>> {
  return (
    (await untilAborted(
      turns.run(() => runNow(check)),
      check.signal,
    )) ?? err({ type: 'aborted' })
  );
}

async function runNow(check: CheckCommand): Promise<Result<undefined, CheckFailure>> {
  const { command, uid, gid } = dropPrivileges(check.command, check.identity, findProgram('setpriv'));
  const [program = '', ...args] = command;
  try {
    await run(program, args, {
      cwd: check.workDir,
      timeout: check.timeoutMs,
      maxBuffer: MAX_OUTPUT_BYTES,
      env: { ...check.env },
      signal: check.signal,
      ...(uid === undefined || gid === undefined ? {} : { uid, gid }),
    });
    return ok(undefined);
  } catch (error) {
    if (check.signal.aborted) return err({ type: 'aborted' });
    const { stderr = '', stdout = '', message, signal, killed } = error as ExecFileException;
    // `killed` is set if the time limit ended the program.
    if (signal && !killed) return err({ type: 'killed', message: `${program} was ended by ${signal}` });
    return err({ type: 'failed', stderr, stdout, message });
  }
}
