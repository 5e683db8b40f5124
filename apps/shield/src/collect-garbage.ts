import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'minor' | 'major' }) => void;

/** The engine's own function, kept out of the global scope; undefined where it cannot be had. */
function findCollector(): Collect | undefined {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : undefined');
  return typeof found === 'function' ? (found as Collect) : undefined;
}

let collect: Collect | undefined;

/**
 * Moves what was made lately and is still in use out of the young generation. Done after every few pieces of a bundle it
 * takes a millisecond; left to itself the engine does it for ten thousand routes at once, and requests wait for it.
 */
function collectYoung(): void {
  collect ??= findCollector();
  // So little is done in a moment; with helpers it would wait until the machine has run them.
  setFlagsFromString('--no-parallel-scavenge');
  collect?.({ type: 'minor' });
  setFlagsFromString('--parallel-scavenge');
}

/** Pieces of a bundle between two collections. */
const PIECES_PER_COLLECTION = 4;

/** Called behind each piece; collects behind every few. */
export class PieceCollector {
  #pieces = 0;

  onPiece(): void {
    this.#pieces += 1;
    if (this.#pieces % PIECES_PER_COLLECTION === 0) collectYoung();
  }
}

/** Gives back all that is not in use: for a thread that answers no requests. */
export function collectAll(): void {
  collect ??= findCollector();
  collect?.({ type: 'major' });
}
