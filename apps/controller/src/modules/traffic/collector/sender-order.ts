import type { BatchPlace } from './messages.ts';

interface Sender {
  readonly epoch: string;
  /** The highest number that was taken; undefined: none yet. */
  last: number | undefined;
  /** The lowest number that was not stored, and until when the later ones wait for it. */
  owed: { readonly sequence: number; readonly untilMs: number } | undefined;
}

/** A sender that dropped a batch never sends it again, so later ones do not wait for ever. */
const FAILED_WAIT_MS = 60_000;
const MISSING_WAIT_MS = 10_000;
const SENDERS_MAX = 20_000;

export const senderOf = ({ client, service }: Pick<BatchPlace, 'client' | 'service'>) => `${client}/${service}`;

/**
 * The stores take a lower number than the last one for a duplicate. So when a batch was not stored, or a number is missing, the later ones of its sender
 * wait until it comes again.
 */
export class SenderOrder {
  /** The one that was not used for longest comes first. */
  readonly #senders = new Map<string, Sender>();

  /** Whether the batch has to come again later, because an earlier one is not stored. */
  isHeld(place: BatchPlace, nowMs: number): boolean {
    const sender = this.#find(place);
    const { owed, last } = sender;
    if (owed === undefined && last !== undefined && place.sequence > last + 1) {
      sender.owed = { sequence: last + 1, untilMs: nowMs + MISSING_WAIT_MS };
      return true;
    }
    if (owed === undefined || place.sequence <= owed.sequence) return false;
    if (nowMs < owed.untilMs && owed.untilMs - nowMs <= FAILED_WAIT_MS) return true;
    sender.owed = undefined;
    return false;
  }

  noteFailed(place: BatchPlace, nowMs: number): void {
    const sender = this.#find(place);
    if (sender.owed !== undefined && sender.owed.sequence < place.sequence) return;
    sender.owed = { sequence: place.sequence, untilMs: nowMs + FAILED_WAIT_MS };
  }

  /** The batch is on its way to the stores. */
  noteTaken(place: BatchPlace): void {
    const sender = this.#find(place);
    sender.last = Math.max(sender.last ?? 0, place.sequence);
  }

  noteStored(place: BatchPlace): void {
    const sender = this.#find(place);
    if (sender.owed !== undefined && sender.owed.sequence <= place.sequence) sender.owed = undefined;
  }

  /** A new epoch begins without a past. */
  #find(place: BatchPlace): Sender {
    const name = senderOf(place);
    let sender = this.#senders.get(name);
    if (sender?.epoch !== place.epoch) sender = { epoch: place.epoch, last: undefined, owed: undefined };
    this.#senders.delete(name);
    this.#senders.set(name, sender);
    const [oldest] = this.#senders.keys();
    if (this.#senders.size > SENDERS_MAX && oldest !== undefined) this.#senders.delete(oldest);
    return sender;
  }
}
