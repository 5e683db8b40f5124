import type { JsonValue } from '@bufbuild/protobuf';

/** Seconds and nanoseconds of a Duration or Timestamp; the sign of a duration is on both. */
export interface SecondsNanos {
  readonly seconds: bigint;
  readonly nanos: number;
}

const DURATION = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/;
/** duration.proto: about 10,000 years. */
const MAX_DURATION_SECONDS = 315_576_000_000n;
const TIMESTAMP = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;
const MIN_TIMESTAMP_MS = Date.parse('0001-01-01T00:00:00Z');
const MAX_TIMESTAMP_MS = Date.parse('9999-12-31T23:59:59Z');

/** `1.5s`, at most nine digits of fraction. */
export function parseDuration(json: JsonValue): SecondsNanos | undefined {
  const match = typeof json === 'string' ? DURATION.exec(json) : null;
  if (!match) return undefined;
  const seconds = BigInt(match[2] ?? '0');
  if (seconds > MAX_DURATION_SECONDS) return undefined;
  const nanos = Number((match[3] ?? '').padEnd(9, '0'));
  if (match[1] === '') return { seconds, nanos };
  return { seconds: -seconds, nanos: nanos === 0 ? 0 : -nanos };
}

export function formatDuration({ seconds, nanos }: SecondsNanos): string {
  const negative = seconds < 0n || nanos < 0;
  const whole = seconds < 0n ? -seconds : seconds;
  return `${negative ? '-' : ''}${whole}${formatFraction(Math.abs(nanos))}s`;
}

/** RFC 3339 with any offset, years 1 to 9999. */
export function parseTimestamp(json: JsonValue): SecondsNanos | undefined {
  const match = typeof json === 'string' ? TIMESTAMP.exec(json) : null;
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone] = match;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  if (Number.isNaN(ms) || ms < MIN_TIMESTAMP_MS || ms > MAX_TIMESTAMP_MS) return undefined;
  return { seconds: BigInt(Math.floor(ms / 1000)), nanos: Number(fraction.padEnd(9, '0')) };
}

export function formatTimestamp({ seconds, nanos }: SecondsNanos): string {
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}${formatFraction(nanos)}Z`;
}

/** Three, six or nine digits, as proto-JSON writes them. */
function formatFraction(nanos: number): string {
  if (nanos === 0) return '';
  const digits = String(nanos).padStart(9, '0');
  if (digits.endsWith('000000')) return `.${digits.slice(0, 3)}`;
  return digits.endsWith('000') ? `.${digits.slice(0, 6)}` : `.${digits}`;
}

/** `user.displayName,photo` to snake_case paths. */
export function parseFieldMask(json: JsonValue): string[] | undefined {
  if (typeof json !== 'string' || json.includes('_')) return undefined;
  if (json === '') return [];
  return json.split(',').map((path) => path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

export function formatFieldMask(paths: readonly string[]): string {
  return paths.map((path) => path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())).join(',');
}

/** The message name at the end of a type URL (`type.googleapis.com/envoy...`); undefined when there is none. */
export function typeNameOfUrl(url: string): string | undefined {
  const slash = url.lastIndexOf('/');
  return slash === -1 || slash === url.length - 1 ? undefined : url.slice(slash + 1);
}
