import type { LogEntry } from '@flotilla/contract';

export type LogSource = 'envoy' | 'shield';

export interface LogLine {
  /** Index in the fetched lines. */
  readonly index: number;
  readonly text: string;
  readonly level: 'error' | 'warning' | undefined;
}

/** Returns the lines of one program in the answer of SUB_LOGS; empty for another shape. */
export function readLogs(result: unknown, source: LogSource): readonly string[] {
  const logs = (result as { logs?: unknown } | undefined)?.logs;
  if (!Array.isArray(logs)) return [];
  return (logs as Partial<LogEntry>[])
    .filter((entry) => (entry.source === 'filter') === (source === 'shield'))
    .map(({ timestamp, level, component, message }) =>
      [timestamp, level?.padEnd(5), component, message].filter(Boolean).join(' '),
    );
}

const PINO_LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' };
const QUIET_FIELDS = new Set(['level', 'time', 'pid', 'hostname', 'name', 'event', 'msg', 'v']);

/** Formats one line: the filter's JSON becomes `time level event key=value`; anything else stays unchanged. */
export function formatLine(line: string): string {
  if (!line.startsWith('{')) return line;
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  if (typeof record.time !== 'number') return line;
  const rest = Object.entries(record)
    .filter(([key]) => !QUIET_FIELDS.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const level = PINO_LEVELS[Number(record.level)] ?? String(record.level);
  return [new Date(record.time).toISOString(), level.padEnd(5), record.event, record.msg, ...rest]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
}

/** Returns the lines that contain the text, regardless of case. */
export function filterLines(lines: readonly string[], text: string): LogLine[] {
  const wanted = text.trim().toLowerCase();
  return lines.flatMap((line, index) => {
    const shown = formatLine(line);
    return wanted === '' || shown.toLowerCase().includes(wanted) ? [{ index, text: shown, level: levelOf(shown) }] : [];
  });
}

function levelOf(text: string): LogLine['level'] {
  if (/\[(critical|error)\]|\s(error|fatal)\s/.test(text)) return 'error';
  return /\[warning\]|\swarn\s/.test(text) ? 'warning' : undefined;
}
