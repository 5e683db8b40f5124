import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { runController } from './main.ts';

it.each([[['--help']], [['--port', '1', '--help']]])('%j prints the available flags', async (argv) => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  expect(await runController(argv, { env: {}, stdout, stderr, signal })).toBe(0);
  expect(String(stdout.read())).toMatch(/^Usage: flotilla controller \[options]\n[\s\S]*--data DIR/);
  expect(stderr.read()).toBeNull();
});
