import { randomBytes } from 'node:crypto';
import type { News } from './model.ts';

export interface SentEvent extends News {
  readonly id: string;
}

/** Events kept for streams that reconnect; about 100 bytes each. */
export const HISTORY_EVENTS = 5000;
const ID = /^([0-9a-f]{12})-(\d{1,15})$/;

/**
 * The newest events of all projects, in the order in which this controller sent them. An id is the epoch and a number
 * that grows by one. The epoch is created at start and after a loss, so that an id of another controller, or from
 * before a restart, is not mistaken for a local one.
 */
export class EventHistory {
  readonly #capacity: number;
  readonly #ring: SentEvent[] = [];
  #epoch = createEpoch();
  #newest = 0;

  constructor(capacity = HISTORY_EVENTS) {
    this.#capacity = capacity;
  }

  /** Id of the newest event, or of the start of the epoch. */
  get newestId(): string {
    return `${this.#epoch}-${this.#newest}`;
  }

  add(news: News): SentEvent {
    this.#newest += 1;
    const sent = { ...news, id: this.newestId };
    this.#ring[this.#newest % this.#capacity] = sent;
    return sent;
  }

  /** Events after `id`, oldest first. undefined if the id is unknown or too old. */
  since(id: string): SentEvent[] | undefined {
    const [, epoch, text] = ID.exec(id) ?? [];
    const number = Number(text);
    if (epoch !== this.#epoch || number > this.#newest || this.#newest - number > this.#capacity) return undefined;
    const missed: SentEvent[] = [];
    for (let n = number + 1; n <= this.#newest; n += 1) {
      const sent = this.#ring[n % this.#capacity];
      if (sent) missed.push(sent);
    }
    return missed;
  }

  /** Invalidates all ids after events were lost. */
  forget(): void {
    this.#epoch = createEpoch();
    this.#newest = 0;
    this.#ring.length = 0;
  }
}

function createEpoch(): string {
  return randomBytes(6).toString('hex');
}
