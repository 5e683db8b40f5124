import { runCli } from './main.ts';

// The process edge: the only place that reads arguments and environment, hears signals and sets the exit code.
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // A second Ctrl-C: somebody does not want to wait.
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
  });
}

// `flotilla ... | head` closes the pipe early: that is the reader's right, and no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const [program = process.execPath, script = '', ...argv] = process.argv;
process.exitCode = await runCli(argv, {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stopping.signal,
  command: [program, ...process.execArgv, script],
});
