import { spawn } from 'node:child_process';
import { err, ok, type Result } from '@flotilla/kit';

const TIMEOUT_MS = 1000;
const COMPLAINT_MAX = 500;
/** Services often have no folders of the administrator in their PATH. */
const ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' };

/** Runs a program without a shell. The error is its complaint. */
export function runProgram(command: readonly string[], input = ''): Promise<Result<undefined, string>> {
  const [program = '', ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: ENV,
      stdio: ['pipe', 'ignore', 'pipe'],
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaint.length < COMPLAINT_MAX) complaint += chunk.toString();
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', (error) => resolve(err(error.message)));
    child.once('close', (code) =>
      resolve(
        code === 0 ? ok(undefined) : err(complaint.trim().slice(0, COMPLAINT_MAX) || `${program} ended with ${code}`),
      ),
    );
  });
}
