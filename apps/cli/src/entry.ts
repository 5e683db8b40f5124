import { runCli } from './main.ts';
import { PROGRAMS } from './programs.ts';

/** A second signal within this time counts as the same one: it reaches us directly and through the launcher. */
const SAME_SIGNAL_MS = 500;

// The process edge: only this file reads arguments and environment, handles signals and sets the exit code.
const stopping = new AbortController();
let stoppingSince = 0;
// SIGHUP arrives when the terminal is closed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // A second Ctrl-C ends the process immediately.
    if (stopping.signal.aborted && performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(130);
    if (stopping.signal.aborted) return;
    stoppingSince = performance.now();
    stopping.abort();
  });
}

// A word after the name of the program is a command (`shield validate`), whose caller waits for its output.
const [, , name = '', word = '-'] = process.argv;
const isServing = Object.hasOwn(PROGRAMS, name) && word.startsWith('-');

// A reader such as `flotilla ... | head` may close the pipe early, which is not an error. `flotilla up` belongs to a terminal, so
// it stops with everything it has started. A controller, an agent or a filter continues: the loss of a log reader or a full disk
// must not stop traffic.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  const isClosed = error.code === 'EPIPE';
  if (isServing) {
    if (name === 'up' && isClosed) stopping.abort();
    return;
  }
  if (!isClosed) process.stderr.write(`flotilla: the output cannot be written: ${error.message}\n`);
  process.exit(isClosed ? 0 : 1);
});
// A closed standard error must not stop the program.
process.stderr.on('error', () => undefined);

const NODE_MAJOR = 24;
if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR) {
  process.stderr.write(`flotilla needs Node ${NODE_MAJOR}; npx flotilla brings it along.\n`);
  process.exit(2);
}

const [program = process.execPath, script = '', ...argv] = process.argv;
process.exitCode = await runCli(argv, {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stopping.signal,
  command: [program, ...process.execArgv, script],
});
// Output that nobody reads would otherwise keep the process alive.
if (isServing && process.stdout.writableLength + process.stderr.writableLength > 0) process.exit();
