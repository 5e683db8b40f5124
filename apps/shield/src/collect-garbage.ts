import { constants, type NodeGCPerformanceDetail, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
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

/** What an observer of `gc` is told. */
interface GcEntry extends PerformanceEntry {
  readonly detail: NodeGCPerformanceDetail;
}

/** Pieces of a bundle between two collections. */
const PIECES_PER_COLLECTION = 4;

/**
 * Called behind each piece of a bundle; collects behind every few, until `close`.
 *
 * - *collecting*: nothing else is under way.
 * - *marking*: the engine marks the old generation, step by step and beside other work. Asked for a collection then, it
 *   would first end the marking at once: for ten thousand routes a pause of 30 to 50 ms. New objects wait, and the end of
 *   the marking takes them along.
 *
 * The engine says where it is (`gc` entries of `node:perf_hooks`), one turn of the event loop late.
 */
export class PieceCollector {
  #pieces = 0;
  #isMarking = false;
  readonly #observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as GcEntry[]) this.#onCollection(entry.detail.kind);
  });

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  onPiece(): void {
    this.#pieces += 1;
    if (!this.#isMarking && this.#pieces % PIECES_PER_COLLECTION === 0) collectYoung();
  }

  close(): void {
    this.#observer.disconnect();
  }

  #onCollection(kind: number): void {
    if (kind === constants.NODE_PERFORMANCE_GC_INCREMENTAL) this.#isMarking = true;
    else if (kind === constants.NODE_PERFORMANCE_GC_MAJOR) this.#isMarking = false;
  }
}

/** Gives back all that is not in use: for a thread that answers no requests. */
export function collectAll(): void {
  collect ??= findCollector();
  collect?.({ type: 'major' });
}
