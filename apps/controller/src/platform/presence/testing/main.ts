import { flushCompileCache } from 'node:module';
import { runController } from '../../../main.ts';

// A controller process for tests that kill or suspend it. A killed process would lose its compile cache.
flushCompileCache();
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
process.exitCode = await runController(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stopping.signal,
});
