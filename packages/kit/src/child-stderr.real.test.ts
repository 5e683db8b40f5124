import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const OWNER = join(import.meta.dirname, 'testing/printing-owner.ts');
/** The output is a pipe that is full and that nobody reads. */
const FULL = 'exec > >(exec sleep 300) 2>&1; head -c 65536 /dev/zero; exec "$@"';

it('a full pipe does not block a program that has a child', async () => {
  const argv = ['-c', FULL, 'bash', process.execPath, OWNER];
  const shell = spawn('bash', argv, { stdio: 'ignore', detached: true });
  try {
    expect(await once(shell, 'exit')).toEqual([3, null]);
  } finally {
    // The reader of the pipe is in the same process group.
    if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
  }
});
