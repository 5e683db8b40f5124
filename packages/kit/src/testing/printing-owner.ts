import { WorkerProcess } from '../worker-process.ts';

// A program that prints a line as soon as it has a worker process. Its output is a full pipe.
process.stdout.on('error', () => undefined);
const entry = new URL('./idle-worker.ts', import.meta.url);
const worker = new WorkerProcess({ entry, memoryMb: 64, idleMs: 1000 });
const started = worker.start();
process.stdout.write('a worker is starting\n');
await started;
// The line that nobody reads would keep the program running.
process.exit(3);
