import { randomBytes } from 'node:crypto';
import type { News } from './model.ts';

export interface Told extends News {
  readonly id: string;
}

/** So many events are kept for streams that come back; at 100 bytes or so each. */
export const HISTORY_EVENTS = 5000;
const ID = /^([0-9a-f]{12})-(\d{1,15})$/;

/**
 * The newest events of all projects, in the order in which this controller told them.
 *
 * An id is the epoch and a number that grows by one. The epoch is made at start and after a loss, so an id of another
 * controller, or from before a restart, is not taken for one of ours.
 */
export class EventHistory {
  readonly #capacity: number;
  readonly #ring: Told[] = [];
  #epoch = createEpoch();
  #newest = 0;

  constructor(capacity = HISTORY_EVENTS) {
    this.#capacity = capacity;
  }

  /** Of the newest event, or of the beginning. */
  get newestId(): string {
    return `${this.#epoch}-${this.#newest}`;
  }

  add(news: News): Told {
    this.#newest += 1;
    const told = { ...news, id: this.newestId };
    this.#ring[this.#newest % this.#capacity] = told;
    return told;
  }

  /** What came after `id`, oldest first. Undefined: not known any more, or never was. */
  since(id: string): Told[] | undefined {
    const [, epoch, text] = ID.exec(id) ?? [];
    const number = Number(text);
    if (epoch !== this.#epoch || number > this.#newest || this.#newest - number > this.#capacity) return undefined;
    const missed: Told[] = [];
    for (let n = number + 1; n <= this.#newest; n += 1) {
      const told = this.#ring[n % this.#capacity];
      if (told) missed.push(told);
    }
    return missed;
  }

  /** Events were missed for good: nobody can go on from an id given out before. */
  forget(): void {
    this.#epoch = createEpoch();
    this.#newest = 0;
    this.#ring.length = 0;
  }
}

function createEpoch(): string {
  return randomBytes(6).toString('hex');
}
