import { LOG_LEVELS, LOG_LIMITS, type LogLevel } from '@flotilla/proto/commands';
import type { LogLine, TimeRange } from './types.ts';

/** The lines that a command wants. */
export interface LogQuery extends TimeRange {
  readonly count: number;
  readonly maxBytes: number;
  readonly waitMs: number;
  readonly cursor: string | undefined;
  readonly logType: string;
  /** Lower case. */
  readonly search: string;
  readonly levels: ReadonlySet<LogLevel>;
  /** Empty: all. */
  readonly components: ReadonlySet<string>;
}

/** The controller has checked the payload. A value of another form counts as absent, and numbers are kept within the limits. */
export function readQuery(payload: Readonly<Record<string, unknown>>): LogQuery {
  const { countDefault, countMax, bytesDefault, bytesMin, bytesMax, waitMaxMs } = LOG_LIMITS;
  return {
    count: readNumber(payload.count, countDefault, { min: 1, max: countMax }),
    maxBytes: readNumber(payload.max_bytes, bytesDefault, { min: bytesMin, max: bytesMax }),
    waitMs: readNumber(payload.wait_ms, 0, { min: 0, max: waitMaxMs }),
    cursor: readText(payload.cursor),
    logType: readText(payload.log_type) ?? '',
    search: (readText(payload.search) ?? '').toLowerCase(),
    levels: readLevels(payload),
    components: new Set(readTexts(payload.components)),
    sinceMs: readTime(payload.since),
    untilMs: readTime(payload.until),
  };
}

/** A line without a time is outside of every range. */
export function matches(query: LogQuery, line: LogLine): boolean {
  const { sinceMs, untilMs, logType } = query;
  if (!query.levels.has(line.level)) return false;
  if (logType === 'ACCESS' && !line.isAccess) return false;
  if ((logType === 'SYSTEM' || logType === 'ENVOY') && line.isAccess) return false;
  if (sinceMs !== undefined && !(line.timeMs !== undefined && line.timeMs >= sinceMs)) return false;
  if (untilMs !== undefined && !(line.timeMs !== undefined && line.timeMs <= untilMs)) return false;
  if (query.components.size > 0 && !query.components.has(line.component)) return false;
  return query.search === '' || line.message.toLowerCase().includes(query.search);
}

/** `level` is the least severe one. `levels` lists them. Both together mean the levels that satisfy both. */
function readLevels({ level, levels }: Readonly<Record<string, unknown>>): Set<LogLevel> {
  const least = LOG_LEVELS.indexOf((readText(level) ?? 'trace').toLowerCase() as LogLevel);
  const named = new Set(readTexts(levels).map((one) => one.toLowerCase()));
  return new Set(LOG_LEVELS.filter((one, index) => index >= least && (named.size === 0 || named.has(one))));
}

function readNumber(value: unknown, otherwise: number, { min, max }: { min: number; max: number }): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) return otherwise;
  return Math.max(min, Math.min(max, Math.trunc(value)));
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

function readTime(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(time) ? time : undefined;
}
