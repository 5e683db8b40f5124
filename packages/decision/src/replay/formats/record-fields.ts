import { parseAddress } from '@flotilla/engines';
import { BODY_REASONS, ENGINE_ERROR_REASON, ENGINE_REASONS, ENGINE_TIMEOUT_REASON } from '@flotilla/policy';
import type { RecordContents } from '../recorded-request.ts';

const REASONS: ReadonlySet<string> = new Set([
  ...Object.values(ENGINE_REASONS).flat(),
  ...BODY_REASONS,
  ENGINE_ERROR_REASON,
  ENGINE_TIMEOUT_REASON,
]);

/** `details` (Envoy's response code details) if it is a reason of the filter. */
export function reasonOf(details: string | undefined): string | undefined {
  return details !== undefined && REASONS.has(details) ? details : undefined;
}

/**
 * Whether the filter blocked the request. Uses the response code details if the log has them. Otherwise treats the
 * statuses that the filter uses as blocks, although an upstream may have sent them.
 */
export function wasBlocked(status: number | undefined, details: string | undefined): boolean | undefined {
  if (details !== undefined) return reasonOf(details) !== undefined;
  return status === undefined ? undefined : status === 403 || status === 429;
}

/** Parses an RFC 3339 time, or a number of seconds, ms, us or ns since the epoch, to milliseconds. */
export function parseTimeMs(value: unknown): number | undefined {
  if (typeof value === 'number' || (typeof value === 'string' && /^\d{9,19}(?:\.\d+)?$/.test(value))) {
    return scaleToMs(Number(value));
  }
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(value)) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Derives the unit from the size of the number, which is unambiguous for current times. */
function scaleToMs(number: number): number | undefined {
  if (!Number.isFinite(number) || number < 1e8) return undefined;
  if (number < 1e11) return number * 1000;
  if (number < 1e14) return number;
  return number < 1e17 ? number / 1e3 : number / 1e6;
}

export function parseStatus(value: unknown): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && Number.isInteger(status) && status >= 100 && status <= 599 ? status : undefined;
}

/** The address in a log field; undefined for anything else (`-`, a name, a list). */
export function parseClient(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const address = parseAddress(value);
  return address === '' ? undefined : address;
}

const METHODS_WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT']);

/** Whether a request whose body is not in the record had one. `bytes` is the count from the log, if any. */
export function bodyOf(method: string, bytes: number | undefined): RecordContents['body'] {
  if (bytes !== undefined) return bytes > 0 ? 'missing' : 'none';
  return METHODS_WITHOUT_BODY.has(method.toUpperCase()) ? 'none' : 'missing';
}

/** Text of a field; undefined for an absent one, which Envoy writes as `-`. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value !== '-' ? value : undefined;
}

export function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined;
}
