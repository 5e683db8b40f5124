import { parentPort } from 'node:worker_threads';
import { packPolicies } from '@flotilla/decision';
import { ok } from '@flotilla/kit';
import { collectAll } from './collect-garbage.ts';
import { holdShapes } from './held-shapes.ts';
import type { FromLoadWorker, ToLoadWorker } from './load-thread.ts';
import { readFiles } from './read-files.ts';

// Entry of the thread that `load-thread.ts` starts for bundles.
const NONE: Iterator<Uint8Array, void> = [][Symbol.iterator]();
let pieces = NONE;
/** Pieces that were created ahead. */
let ready: Uint8Array[] = [];

/** Pieces per answer: each answer costs both threads a wake-up. */
const PIECES_PER_ANSWER = 8;

parentPort?.on('message', (question: ToLoadWorker) => {
  if (question.kind === 'next') return giveNext();
  ready = [];
  pieces = NONE;
  const { result, ...read } = readFiles(question.files, question.unless);
  if (!result?.ok) return tell({ kind: 'loaded', read: { ...read, result } });
  const { domains, ...head } = result.value;
  pieces = packPolicies(domains());
  tell({ kind: 'loaded', read: { ...read, result: ok(head) } });
  setImmediate(makeAhead, pieces);
});

/** Works while idle: during the quiet period, or while earlier pieces are processed. */
function makeAhead(of: Iterator<Uint8Array, void>): void {
  if (of !== pieces) return;
  const next = pieces.next();
  if (next.done === true) return;
  ready.push(next.value);
  setImmediate(makeAhead, of);
}

function giveNext(): void {
  const given = ready.splice(0, PIECES_PER_ANSWER);
  while (given.length < PIECES_PER_ANSWER) {
    const next = pieces.next();
    if (next.done === true) break;
    given.push(next.value);
  }
  tell({ kind: 'pieces', pieces: given });
  if (given.length > 0) return;
  pieces = NONE;
  setImmediate(rest);
}

/** The thread may stay, but its results need not. */
function rest(): void {
  holdShapes();
  collectAll();
}

function tell(message: FromLoadWorker): void {
  parentPort?.postMessage(message);
}
