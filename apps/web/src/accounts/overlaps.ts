import { texts } from './texts.tsx';

const text = texts.secret;

interface Overlap {
  readonly value: string;
  readonly label: string;
}

/**
 * Lists how long the current secret may stay valid: options within the life of its token (ISO 8601), plus exactly until
 * the token expires.
 */
export function offerOverlaps(tokenEndsAt: string | undefined, nowMs: number): readonly Overlap[] {
  if (tokenEndsAt === undefined) return text.overlaps;
  const leftS = Math.max(0, Math.floor((Date.parse(tokenEndsAt) - nowMs) / 1000));
  const within = text.overlaps.filter(({ value }) => value === '0' || Number(value) < leftS);
  const isCutShort = leftS > 0 && within.length < text.overlaps.length;
  return isCutShort ? [...within, { value: String(leftS), label: text.untilTokenEnds }] : within;
}

/** Returns the wanted option if it is offered, or else the longest one. */
export function chooseOverlap(offered: readonly Overlap[], wantedS: number): string {
  const chosen = offered.find(({ value }) => Number(value) === wantedS) ?? offered.at(-1);
  return chosen?.value ?? '0';
}
