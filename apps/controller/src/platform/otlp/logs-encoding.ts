import { type AnyValue, type KeyValue, toAttributes, toNanos, toResource } from './encoding.ts';

export interface LogRecord {
  readonly timeUnixNano: string;
  readonly observedTimeUnixNano: string;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: AnyValue;
  readonly attributes: readonly KeyValue[];
}

/** Levels of pino, and the first number of the same range of OpenTelemetry. */
const SEVERITIES = [
  { from: 60, number: 21, text: 'FATAL' },
  { from: 50, number: 17, text: 'ERROR' },
  { from: 40, number: 13, text: 'WARN' },
  { from: 30, number: 9, text: 'INFO' },
  { from: 20, number: 5, text: 'DEBUG' },
  { from: Number.NEGATIVE_INFINITY, number: 1, text: 'TRACE' },
] as const;

/** A line of the log, which has no secrets, as a record. Undefined if it is no JSON. */
export function toLogRecord(line: string): LogRecord | undefined {
  const parsed = parseLine(line);
  if (parsed === undefined) return undefined;
  // The host and the program are attributes of the resource.
  const { level, time, msg, err, pid, hostname: _host, name: _name, ...rest } = parsed;
  const severity = SEVERITIES.find(({ from }) => Number(level) >= from) ?? SEVERITIES[3];
  const at = toNanos(typeof time === 'number' && Number.isFinite(time) ? time : 0);
  return {
    timeUnixNano: at,
    observedTimeUnixNano: at,
    severityNumber: severity.number,
    severityText: severity.text,
    body: { stringValue: String(msg ?? '') },
    attributes: toAttributes({ ...rest, 'process.pid': pid, ...toException(err) }),
  };
}

function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** By the semantic conventions for exceptions. */
function toException(err: unknown): Record<string, unknown> {
  if (typeof err !== 'object' || err === null) return {};
  const { type, message, stack, code } = err as Record<string, unknown>;
  const given = {
    'exception.type': type,
    'exception.message': message,
    'exception.stacktrace': stack,
    'error.code': code,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

export function encodeLogs(
  logRecords: readonly LogRecord[],
  { resource, version }: { readonly resource: Readonly<Record<string, string>>; readonly version: string },
) {
  return {
    resourceLogs: [
      { resource: toResource(resource), scopeLogs: [{ scope: { name: 'flotilla', version }, logRecords }] },
    ],
  };
}
