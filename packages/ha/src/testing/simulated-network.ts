import type { EventQueue } from './event-queue.ts';
import type { Random } from './random.ts';
import { TIMING } from './timing.ts';

/** The longest delay of a datagram in chaos. */
const DELAY_MAX_MS = 2000;

/** good: less than `misses` losses in a row, and short delays. chaos: anything can happen to a datagram. */
export type LinkState = 'good' | 'down' | 'chaos';

export interface Link {
  state: LinkState;
  lostInRow: number;
  /** Until when a datagram may arrive that was sent long before. */
  delayedUntil: number;
}

interface NetworkOptions {
  readonly random: Random;
  readonly queue: EventQueue;
  /** Old messages of a link have arrived. */
  readonly onQuiet: () => void;
}

/** Two paths in each direction between the members, and the way of each to the gateway. */
export class SimulatedNetwork {
  readonly gateways: LinkState[] = ['good', 'good'];
  readonly links: readonly [Link, ...Link[]];
  /** [from slot][path] */
  readonly #bySlot: readonly (readonly Link[])[];
  readonly #options: NetworkOptions;

  constructor(options: NetworkOptions) {
    this.#options = options;
    const make = (): Link => ({ state: 'good', lostInRow: 0, delayedUntil: 0 });
    this.#bySlot = [
      [make(), make()],
      [make(), make()],
    ];
    this.links = this.#bySlot.flat() as [Link, ...Link[]];
  }

  /** The delays with which the copies of a datagram of this member arrive. None: it is lost. */
  delaysFrom(slot: 0 | 1): number[] {
    return (this.#bySlot[slot] ?? []).flatMap((link) => this.#fate(link));
  }

  /** The delays with which copies of a datagram arrive; empty if it is lost. */
  #fate(link: Link): number[] {
    const { random } = this.#options;
    switch (link.state) {
      case 'down':
        return [];
      case 'chaos':
        if (random.chance(0.5)) return [];
        return random.chance(0.2)
          ? [random.between(0, DELAY_MAX_MS), random.between(0, DELAY_MAX_MS)]
          : [random.between(0, DELAY_MAX_MS)];
      case 'good': {
        const isLost = link.lostInRow < 1 && random.chance(0.05);
        link.lostInRow = isLost ? link.lostInRow + 1 : 0;
        return isLost ? [] : [random.between(0, TIMING.intervalMs / 2)];
      }
    }
  }

  set(link: Link, state: LinkState): void {
    const { queue, onQuiet } = this.#options;
    if (state === 'chaos') link.delayedUntil = Number.POSITIVE_INFINITY;
    else if (link.state === 'chaos') {
      link.delayedUntil = queue.now + DELAY_MAX_MS;
      queue.schedule(link.delayedUntil, onQuiet);
    }
    link.state = state;
  }

  setAll(state: LinkState): void {
    for (const link of this.links) this.set(link, state);
  }

  /** Whether one member hears the other. */
  get isHeardOnce(): boolean {
    return this.links.some(({ state }) => state === 'good');
  }

  /** Whether each member hears the other. */
  get isHeard(): boolean {
    return this.#bySlot.every((paths) => paths.some(({ state }) => state === 'good'));
  }

  /** Until when old messages of a member may arrive. */
  delayedUntil(slot: 0 | 1): number {
    return Math.max(...(this.#bySlot[slot] ?? []).map(({ delayedUntil }) => delayedUntil));
  }

  isGatewayAnswering(slot: 0 | 1): boolean {
    const gateway = this.gateways[slot];
    return gateway === 'good' || (gateway === 'chaos' && this.#options.random.chance(0.5));
  }

  describe(): string {
    const links = this.#bySlot.map((paths) => paths.map(({ state }) => state));
    return `links ${links.join(' | ')}; gateways ${this.gateways}`;
  }
}
