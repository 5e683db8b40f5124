import type { BitColumn, HashColumn, NumberColumn, WordColumn } from './columns.ts';

/**
 * A request as it is stored. Absent fields are stored as empty or zero. There is no field for a raw source address, user agent,
 * body, query value or credential; the caller hashes consumers, sources and user agents.
 */
export type RequestEvent = { readonly timeMs: number } & {
  readonly [Column in WordColumn]?: string;
} & { readonly [Column in NumberColumn]?: number } & { readonly [Column in HashColumn]?: string } & {
  /** Numbers of the bits that are set. */
  readonly [Column in BitColumn]?: readonly number[];
} & {
  /** Envoy's request id. A text that is not a UUID is stored as a hash in the form of a UUID: it can be found, not read. */
  readonly requestId?: string;
};

/** An event with every field, as queries answer it. `id` is stable: it survives compaction and a copy to another store. */
export type StoredEvent = Required<RequestEvent> & { readonly id: string };

/** This bit of `marks` is set if the time of an event was impossible and is the time of its arrival instead. */
export const MARK_CLOCK = 7;

export const EVENT_LIMITS = {
  batchEvents: 50_000,
  /** An event may be this much ahead of the clock of the store. */
  futureMs: 5 * 60_000,
  /** No event is older: 400 days. */
  pastMs: 400 * 86_400_000,
} as const;

/** The first hour that no event can be in yet. */
export function nextHour(nowMs: number): number {
  return Math.ceil((nowMs + EVENT_LIMITS.futureMs + 1) / 3_600_000) * 3_600_000;
}

/** U+FFFD replaces controls (NUL, terminal escapes) and halves of characters. The result has at most `max` UTF-16 units. */
export function toStoredText(value: unknown, max: number): string {
  if (typeof value !== 'string' || value === '') return '';
  // One unit more keeps a pair whole that the limit cuts: `toWellFormed` then replaces its half.
  const cut = value.length > max ? value.slice(0, max) : value;
  return cut.toWellFormed().replace(/[\p{Cc}]/gu, '\uFFFD');
}

export function toStoredNumber(value: unknown, max: number): number {
  if (typeof value !== 'number' || !(value > 0)) return 0;
  return Math.min(Math.floor(value), max);
}

/** The time of an event, or `null` if no clock can have shown it. */
export function toStoredTime(value: unknown, nowMs: number): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  if (value > nowMs + EVENT_LIMITS.futureMs || value < nowMs - EVENT_LIMITS.pastMs) return null;
  return Math.floor(value);
}
