import { serveOwner } from '../worker-process.ts';

// Entry of a worker process that has nothing to do.
serveOwner(() => undefined);
