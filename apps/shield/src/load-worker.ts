import { serialize } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { PackedItem } from '@flotilla/decision';
import { ok } from '@flotilla/kit';
import { collectAll } from './collect-garbage.ts';
import { piecesOf, readFiles } from './load-bundle.ts';
import type { FromLoadWorker, ToLoadWorker } from './load-thread.ts';

// The entry of the thread that `load-thread.ts` starts for bundles.
const NONE: Iterator<readonly PackedItem[], void> = [][Symbol.iterator]();
let pieces = NONE;

/** Pieces of one answer: each answer costs both threads a wake-up. */
const PIECES_PER_ANSWER = 8;

parentPort?.on('message', (question: ToLoadWorker) => {
  if (question.kind === 'next') return giveNext();
  const { result, ...read } = readFiles(question.files, question.unless);
  if (!result?.ok) return tell({ kind: 'loaded', read: { ...read, result } });
  const { domains, ...head } = result.value;
  pieces = piecesOf(domains());
  tell({ kind: 'loaded', read: { ...read, result: ok(head) } });
});

function giveNext(): void {
  const given: Uint8Array<ArrayBuffer>[] = [];
  while (given.length < PIECES_PER_ANSWER) {
    const next = pieces.next();
    if (next.done === true) break;
    given.push(Uint8Array.from(serialize(next.value)));
  }
  parentPort?.postMessage(
    { kind: 'pieces', pieces: given } satisfies FromLoadWorker,
    given.map(({ buffer }) => buffer),
  );
  if (given.length > 0) return;
  pieces = NONE;
  // The thread may stay; what it has read need not.
  setImmediate(collectAll);
}

function tell(message: FromLoadWorker): void {
  parentPort?.postMessage(message);
}
