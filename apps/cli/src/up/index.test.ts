import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { readProcess } from '@flotilla/agent/processes';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runUp } from './index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-up-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Answers with the exit code and what it says. */
async function up(dataDir: string): Promise<{ code: number; said: string }> {
  const stderr = new PassThrough();
  const { signal } = new AbortController();
  const argv = ['--data', dataDir, '--port', '1', '--grpc-port', '2'];
  const code = await runUp(argv, { env: {}, stdout: new PassThrough(), stderr, signal, command: ['false'] });
  return { code, said: String(stderr.read()) };
}

it('keeps off a folder in which another one runs, whatever the other one is called', async () => {
  const other = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(other, 'spawn');
  await writeFile(join(folder, 'up.lock'), JSON.stringify(readProcess(other.pid ?? 0)));
  const { code, said } = await up(folder);
  other.kill('SIGKILL');
  expect(code).toBe(1);
  expect(said).toContain(`it already runs in ${folder} (process ${other.pid})`);
});

it('says that a file is no data folder', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  const { code, said } = await up(file);
  expect(code).toBe(1);
  expect(said).toMatch(/^flotilla up: .*file cannot be the data folder \(.*\)\. Choose another: --data DIR\.\n$/);
});
