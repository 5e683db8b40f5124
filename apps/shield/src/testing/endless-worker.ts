import { serveOwner } from '@flotilla/kit';

// Entry of a worker process that is busy from its first question on, and never answers.
serveOwner(() => {
  process.stderr.write(`at work: ${process.pid}\n`);
  for (;;);
});
