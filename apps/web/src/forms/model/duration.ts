import { formatDuration, fromNanos, parseDuration as parseJsonDuration, toNanos } from '@flotilla/envoy-rules';
import type { Json } from './json.ts';
import { toInput } from './scalar.ts';

const PART = /(\d+(?:\.\d+)?|\.\d+)\s*(ns|us|µs|ms|s|sec|secs|m|min|mins|h|hr|hrs|d|days?|)\s*/y;
const NANOS_PER_SECOND = 1_000_000_000n;
const MAX_SECONDS = 315_576_000_000n;

const UNIT_NANOS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  ms: 1_000_000n,
  s: NANOS_PER_SECOND,
  sec: NANOS_PER_SECOND,
  secs: NANOS_PER_SECOND,
  '': NANOS_PER_SECOND,
  m: 60n * NANOS_PER_SECOND,
  min: 60n * NANOS_PER_SECOND,
  mins: 60n * NANOS_PER_SECOND,
  h: 3600n * NANOS_PER_SECOND,
  hr: 3600n * NANOS_PER_SECOND,
  hrs: 3600n * NANOS_PER_SECOND,
  d: 86_400n * NANOS_PER_SECOND,
  day: 86_400n * NANOS_PER_SECOND,
  days: 86_400n * NANOS_PER_SECOND,
};

/**
 * Parses a typed duration (`500ms`, `2m`, `1h 30m`, `1.5`: seconds) to nanoseconds. Returns undefined for anything else, and for a
 * value that is finer than a nanosecond or too long for proto-JSON.
 */
export function parseDuration(text: string): bigint | undefined {
  const trimmed = text.trim();
  const negative = trimmed.startsWith('-');
  const body = negative ? trimmed.slice(1).trimStart() : trimmed;
  if (body === '') return undefined;
  let total = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < body.length) {
    const start = PART.lastIndex;
    const match = PART.exec(body);
    // Only a single number may lack its unit: `1h 30` is ambiguous
    if (!match?.[1] || (match[2] === '' && (start > 0 || PART.lastIndex < body.length))) return undefined;
    const nanos = scale(match[1], UNIT_NANOS[match[2] ?? ''] ?? 0n);
    if (nanos === undefined) return undefined;
    total += nanos;
  }
  if (total / NANOS_PER_SECOND > MAX_SECONDS) return undefined;
  return negative ? -total : total;
}

/** Writes proto-JSON: `1.5s`, `0.250s`. */
export function toJsonDuration(nanos: bigint): string {
  return formatDuration(fromNanos(nanos));
}

/** Formats proto-JSON as a person would write it: `0.5s` is `500ms`, `120s` is `2m`; anything else stays as it is. */
export function showDuration(json: string): string {
  const nanos = readDuration(json);
  if (nanos === undefined || nanos < 0n) return json;
  if (nanos % NANOS_PER_SECOND !== 0n) {
    if (nanos < NANOS_PER_SECOND) {
      for (const unit of ['ms', 'us', 'ns'] as const) {
        const size = UNIT_NANOS[unit] ?? 1n;
        if (nanos % size === 0n) return `${nanos / size}${unit}`;
      }
    }
    return json.replace(/0+s$/, 's');
  }
  const seconds = nanos / NANOS_PER_SECOND;
  if (seconds >= 3600n && seconds % 3600n === 0n) return `${seconds / 3600n}h`;
  if (seconds >= 60n && seconds % 60n === 0n) return `${seconds / 60n}m`;
  return `${seconds}s`;
}

/** Reads the proto-JSON of a duration as nanoseconds. */
export function readDuration(json: unknown): bigint | undefined {
  return toNanos(parseJsonDuration(json));
}

function scale(number: string, unit: bigint): bigint | undefined {
  const [whole = '', fraction = ''] = number.split('.');
  if (whole.length > 15 || fraction.length > 15) return undefined;
  const divisor = 10n ** BigInt(fraction.length);
  const scaled = BigInt(whole + fraction) * unit;
  return scaled % divisor === 0n ? scaled / divisor : undefined;
}

/** Text of a duration in an input. A value of another type is shown as it is. */
export function durationToText(value: Json | undefined): string {
  return typeof value === 'string' ? showDuration(value) : toInput(value);
}

/** Converts to proto-JSON. Text that is no duration is kept, so that the check can report it. */
export function durationFromText(text: string): Json {
  const nanos = parseDuration(text);
  return nanos === undefined ? text : toJsonDuration(nanos);
}
