import { flushCompileCache } from 'node:module';
import { runController } from '../../main.ts';

// A controller as a program of its own, for tests that kill it or put it to sleep.
// What is killed leaves nothing at its end.
flushCompileCache();
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
process.exitCode = await runController(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stopping.signal,
});
