import { parentPort } from 'node:worker_threads';
import type { ToThread } from '../messages.ts';

// The collector's thread as it would be with a defect: two texts in a path end it, by an error and by more memory than it may have.
parentPort?.addEventListener('message', (event) => {
  const message = (event as MessageEvent).data as ToThread;
  if (message.kind !== 'batch') return;
  const text = Buffer.from(message.payload).toString('latin1');
  if (text.includes('ends-the-thread')) {
    // Otherwise the thread would begin with the batch before it ends.
    event.stopImmediatePropagation();
    throw new Error('a defect');
  }
  if (!text.includes('fills-the-thread')) return;
  const kept: number[][] = [];
  for (;;) kept.push(new Array<number>(1_000_000).fill(kept.length + 0.5));
});
await import('../worker.ts');
