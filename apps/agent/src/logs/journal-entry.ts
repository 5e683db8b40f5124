import { LOG_LIMITS, type LogLevel } from '@flotilla/proto/commands';
import { cleanMessage } from './parse-line.ts';
import type { LogLine } from './types.ts';

/** Levels of syslog, RFC 5424 section 6.2.1. */
const LEVELS: readonly LogLevel[] = ['critical', 'critical', 'critical', 'error', 'warn', 'info', 'info', 'debug'];

/** The fields that are asked for. `__CURSOR` and `__REALTIME_TIMESTAMP` are always there. */
export const JOURNAL_FIELDS = [
  'MESSAGE',
  'PRIORITY',
  'SYSLOG_IDENTIFIER',
  '_COMM',
  '_HOSTNAME',
  '_PID',
  '_SYSTEMD_UNIT',
] as const;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a line of `journalctl --output=json`. Undefined for a line without a cursor. A line that was cut has no message that
 * could be read.
 */
export function parseJournalLine(
  text: string,
  { source, isCut }: { readonly source: string; readonly isCut: boolean },
): LogLine | undefined {
  const fields = isCut ? readPosition(text) : parseObject(text);
  const cursor = readText(fields?.__CURSOR);
  if (!fields || cursor === '') return undefined;
  const message = isCut ? '(a message that is too long to read)' : readText(fields.MESSAGE).replace(/\n+$/, '');
  const bytes = Buffer.from(message);
  const isLong = bytes.length > LOG_LIMITS.lineMaxBytes;
  const microseconds = Number(readText(fields.__REALTIME_TIMESTAMP));
  return {
    timeMs: Number.isFinite(microseconds) && microseconds > 0 ? Math.floor(microseconds / 1000) : undefined,
    level: LEVELS[Number.parseInt(readText(fields.PRIORITY), 10)] ?? 'info',
    source,
    component: short(readText(fields.SYSLOG_IDENTIFIER) || readText(fields._COMM)),
    message: cleanMessage(isLong ? bytes.subarray(0, LOG_LIMITS.lineMaxBytes).toString() : message),
    file: 'journal',
    isAccess: false,
    isCut: isCut || isLong,
    metadata: readMetadata(fields),
    before: { c: `<${cursor}` },
    after: { c: `>${cursor}` },
  };
}

function readMetadata(fields: Fields): Record<string, string> {
  const named = { hostname: fields._HOSTNAME, pid: fields._PID, systemd_unit: fields._SYSTEMD_UNIT };
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, short(readText(value))]])),
  );
}

/** Journals hold bytes: journalctl writes those that are not UTF-8 as a list of numbers, and a repeated field as a list. */
function readText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  if (value.every((one) => typeof one === 'number')) return Buffer.from(value as number[]).toString();
  return readText(value[0]);
}

function readPosition(text: string): Fields {
  const [, cursor] = /"__CURSOR":"([^"\n]+)"/.exec(text) ?? [];
  const [, time] = /"__REALTIME_TIMESTAMP":"(\d+)"/.exec(text) ?? [];
  return { __CURSOR: cursor, __REALTIME_TIMESTAMP: time };
}

function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

function short(text: string): string {
  return cleanMessage(text).slice(0, 256);
}
