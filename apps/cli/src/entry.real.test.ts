import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { EXIT } from './operator/exit-codes.ts';

const ENTRY = fileURLToPath(new URL('./entry.ts', import.meta.url));

/** `closed` is the stream that nobody reads. Answers with the exit code. */
async function run(argv: readonly string[], closed: 'stdout' | 'stderr'): Promise<unknown> {
  const child = spawn(process.execPath, [ENTRY, ...argv], { stdio: ['ignore', 'pipe', 'pipe'], env: {} });
  child[closed].destroy();
  child[closed === 'stdout' ? 'stderr' : 'stdout'].resume();
  return (await once(child, 'exit'))[0];
}

it('a reader of the answer that goes away early is no error', async () => {
  expect(await run(['--help'], 'stdout')).toBe(EXIT.ok);
});

it('remarks that nobody reads change nothing of how a command ends', async () => {
  expect(await run(['whoami', '--url', 'http://127.0.0.1:9'], 'stderr')).toBe(EXIT.forbidden);
  expect(await run(['frobnicate'], 'stderr')).toBe(EXIT.usage);
});
