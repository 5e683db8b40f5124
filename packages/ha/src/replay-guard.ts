import type { Datagram } from './datagram.ts';

/** The newest datagram that was accepted. It is kept on disk, so that a member that restarts refuses those from before, too. */
export interface Accepted {
  readonly boot: number;
  readonly sequence: number;
}

export const NOTHING_ACCEPTED: Accepted = { boot: 0, sequence: 0 };

/**
 * Accepts each datagram once and in order: both paths carry the same ones, and the network may repeat, reorder and keep them.
 * Undefined: it is old.
 */
export function acceptDatagram(
  newest: Accepted,
  { boot, sequence }: Pick<Datagram, 'boot' | 'sequence'>,
): Accepted | undefined {
  const isNew = boot > newest.boot || (boot === newest.boot && sequence > newest.sequence);
  return isNew ? { boot, sequence } : undefined;
}
