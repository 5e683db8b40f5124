import { WorkerProcess } from '@flotilla/kit';

// A program that asks a worker process a question it never answers.
const worker = new WorkerProcess({ entry: new URL('./endless-worker.ts', import.meta.url), memoryMb: 64, idleMs: 1 });
await worker.start();
await worker.ask(2 ** 30, (tell) => tell('anything'));
