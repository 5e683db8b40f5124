import { parentPort } from 'node:worker_threads';
import { headOf, type PackedItem } from '@flotilla/decision';
import { ok } from '@flotilla/kit';
import { loadPolicyFiles } from '@flotilla/policy';
import { type FromLoadWorker, piecesOf, type ToLoadWorker } from './load-bundle.ts';

// The entry of the thread that `load-bundle.ts` starts for bundles.
let pieces: Iterator<readonly PackedItem[], void> = [][Symbol.iterator]();

parentPort?.on('message', (question: ToLoadWorker) => parentPort?.postMessage(answer(question)));

function answer(question: ToLoadWorker): FromLoadWorker {
  if (question.kind === 'next') {
    const next = pieces.next();
    return { kind: 'items', items: next.done === true ? [] : next.value };
  }
  const loaded = loadPolicyFiles(question.files);
  if (!loaded.ok) return { kind: 'loaded', result: loaded };
  pieces = piecesOf(loaded.value);
  return { kind: 'loaded', result: ok(headOf(loaded.value)) };
}
