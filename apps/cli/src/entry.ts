import { runCli } from './main.ts';
import { PROGRAMS } from './programs.ts';

/** A signal that comes twice within this time was sent once: to us and, through a launcher, to us again. */
const SAME_SIGNAL_MS = 500;

// The process edge: the only place that reads arguments and environment, hears signals and sets the exit code.
const stopping = new AbortController();
let stoppingSince = 0;
// SIGHUP: the terminal was closed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // A second Ctrl-C: somebody does not want to wait.
    if (stopping.signal.aborted && performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(130);
    if (stopping.signal.aborted) return;
    stoppingSince = performance.now();
    stopping.abort();
  });
}

// A word behind the program's name is a command (`shield validate`): somebody waits for its answer.
const [, , name = '', word = '-'] = process.argv;
const isServing = Object.hasOwn(PROGRAMS, name) && word.startsWith('-');

// `flotilla ... | head` closes the pipe early: that is the reader's right, and no error. `flotilla up` belongs to a terminal: it
// is stopped then, with all that it has started. Who runs a controller, an agent or a filter wants it to run on: no traffic is
// given up because the reader of a log went away, or because the disk that it is written to is full.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  const hasLeft = error.code === 'EPIPE';
  if (isServing) {
    if (name === 'up' && hasLeft) stopping.abort();
    return;
  }
  if (!hasLeft) process.stderr.write(`flotilla: the answer cannot be written: ${error.message}\n`);
  process.exit(hasLeft ? 0 : 1);
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
// Output that no process reads would keep the program from ending.
if (isServing && process.stdout.writableLength + process.stderr.writableLength > 0) process.exit();
