import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isRunning } from '@flotilla/testkit';
import { expect, it } from 'vitest';

const OWNER = join(import.meta.dirname, '../testing/endless-owner.ts');

it('a worker process ends with its owner, even during endless work', async () => {
  const owner = spawn(process.execPath, [OWNER], { stdio: ['ignore', 'ignore', 'pipe'] });
  let worker = 0;
  try {
    let said = '';
    for await (const chunk of owner.stderr) {
      said += String(chunk);
      if (said.includes('\n')) break;
    }
    worker = Number(/^at work: (\d+)$/m.exec(said)?.[1]);
    expect(await isRunning(worker)).toBe(true);
    const ended = once(owner, 'exit');
    owner.kill('SIGKILL');
    await ended;
    await expect.poll(() => isRunning(worker)).toBe(false);
  } finally {
    owner.kill('SIGKILL');
    if (worker > 0 && (await isRunning(worker))) process.kill(worker, 'SIGKILL');
  }
});
