import { serveOwner } from '@flotilla/kit';

// The entry of a worker process that is at work from its first question on, and answers none.
serveOwner(() => {
  process.stderr.write(`at work: ${process.pid}\n`);
  for (;;);
});
