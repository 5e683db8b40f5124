import { serialize } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { headOf, type PackedItem } from '@flotilla/decision';
import { ok } from '@flotilla/kit';
import { collectAll } from './collect-garbage.ts';
import { piecesOf, readFiles } from './load-bundle.ts';
import type { FromLoadWorker, ToLoadWorker } from './load-thread.ts';

// The entry of the thread that `load-thread.ts` starts for bundles.
const NONE: Iterator<readonly PackedItem[], void> = [][Symbol.iterator]();
let pieces = NONE;

parentPort?.on('message', (question: ToLoadWorker) => {
  if (question.kind === 'next') return giveNext();
  const { result, ...read } = readFiles(question.files, question.unless);
  if (result?.ok) pieces = piecesOf(result.value);
  tell({ kind: 'loaded', read: { ...read, result: result?.ok ? ok(headOf(result.value)) : result } });
});

function giveNext(): void {
  const next = pieces.next();
  if (next.done === true) {
    pieces = NONE;
    tell({ kind: 'piece', bytes: undefined });
    // The thread may stay; what it has read need not.
    setImmediate(collectAll);
    return;
  }
  const bytes = serialize(next.value);
  tell({ kind: 'piece', bytes });
}

function tell(message: FromLoadWorker): void {
  parentPort?.postMessage(message);
}
