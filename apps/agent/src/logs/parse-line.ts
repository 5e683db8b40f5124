import type { LogLevel } from '@flotilla/proto/commands';
import { redactAdsSecrets } from '../host/ads-secret.ts';
import type { ParsedLine } from './types.ts';

const ENVOY_LINE = /^\[(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3})\]\[\d+\]\[(\w+)\]\[([^\]]*)\] (.*)$/s;
const ACCESS_LINE = /^\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)\] (.*)$/s;
const STATUS = /^(?:"[^"]*"|\S+) (\d{3})\b/;
const FRR_LINE = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?) (\w+): (.*)$/s;
const FORWARDER_LINE = /^(\S+T\S+) (\w+) (.*)$/s;
const PROTOBUF_LINE = /^\[libprotobuf (\w+)/;

const LEVELS: Readonly<Record<string, LogLevel>> = {
  trace: 'trace',
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warn: 'warn',
  warning: 'warn',
  err: 'error',
  error: 'error',
  critical: 'critical',
  fatal: 'critical',
};
const PINO_LEVELS: Readonly<Record<number, LogLevel>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'critical',
};
const TIME_FIELDS = ['start_time', 'timestamp', '@timestamp', 'time', 'ts'];
const STATUS_FIELDS = ['response_code', 'status', 'status_code', 'code'];
const PINO_QUIET_FIELDS = new Set(['level', 'time', 'pid', 'hostname', 'name', 'component', 'event', 'msg', 'v']);

/** C0 and C1 controls but for the tab, so that no terminal or screen obeys a line. Line feeds stay in messages of journals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

export function cleanMessage(text: string): string {
  return text.replace(CONTROLS, '\ufffd');
}

/** A line of the log of an Envoy, which also contains requests if an access log writes to standard output. */
export function parseEnvoyLine(text: string): ParsedLine {
  const line = cleanMessage(redactAdsSecrets(text));
  const [, date, time, level = '', component = '', message = ''] = ENVOY_LINE.exec(line) ?? [];
  if (date !== undefined) {
    // The agent starts Envoy with TZ=UTC.
    return { timeMs: Date.parse(`${date}T${time}Z`), level: toLevel(level), component, message, isAccess: false };
  }
  const [, protobuf] = PROTOBUF_LINE.exec(line) ?? [];
  if (protobuf !== undefined) {
    return { level: toLevel(protobuf), component: 'libprotobuf', message: line, isAccess: false };
  }
  return parseRequest(line) ?? { component: '', message: line, isAccess: false };
}

/** A line that a forwarder of logs writes about itself. */
export function parseForwarderLine(text: string): ParsedLine {
  const record = parseObject(text);
  const said = record?.message;
  // Filebeat writes objects in the Elastic Common Schema.
  if (record && typeof said === 'string') {
    const timeMs = Date.parse(String(record['@timestamp']));
    return {
      ...(Number.isFinite(timeMs) && { timeMs }),
      level: toLevel(String(record['log.level'])),
      component: cleanMessage(String(record['log.logger'] ?? '')),
      message: cleanMessage(said),
      isAccess: false,
    };
  }
  const [, time = '', level = '', message] = FORWARDER_LINE.exec(cleanMessage(text)) ?? [];
  if (message === undefined) return { component: '', message: cleanMessage(text), isAccess: false };
  return { timeMs: Date.parse(time), level: toLevel(level), component: '', message, isAccess: false };
}

/** A line of an access log. Lines of unknown formats are requests without a time. */
export function parseAccessLine(text: string): ParsedLine {
  const line = cleanMessage(redactAdsSecrets(text));
  return parseRequest(line) ?? { component: '', message: line, isAccess: true };
}

/** A JSON line of the filter or of the agent. */
export function parsePinoLine(text: string): ParsedLine {
  const line = cleanMessage(redactAdsSecrets(text));
  const record = parseObject(line);
  if (!record || typeof record.time !== 'number' || !Number.isFinite(record.time)) {
    return { component: '', message: line, isAccess: false };
  }
  const rest = Object.entries(record)
    .filter(([key]) => !PINO_QUIET_FIELDS.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const message = [record.event, record.msg, ...rest].filter((part) => part !== undefined && part !== '').join(' ');
  const component = record.component ?? record.name;
  return {
    timeMs: record.time,
    level: PINO_LEVELS[Number(record.level)] ?? 'info',
    component: typeof component === 'string' ? component : '',
    // Escapes in JSON become characters again.
    message: cleanMessage(message),
    isAccess: false,
  };
}

/** A line of a file of FRR, whose times are those of the host. */
export function parseRoutingLine(text: string): ParsedLine {
  const line = cleanMessage(text);
  const [, year, month, day, time, component = '', message = ''] = FRR_LINE.exec(line) ?? [];
  if (year === undefined) return { component: '', message: line, isAccess: false };
  return {
    timeMs: Date.parse(`${year}-${month}-${day}T${time}`),
    component: component.toLowerCase(),
    message,
    isAccess: false,
  };
}

function parseRequest(line: string): ParsedLine | undefined {
  const [, time, rest = ''] = ACCESS_LINE.exec(line) ?? [];
  if (time !== undefined) {
    const [, status] = STATUS.exec(rest) ?? [];
    return { timeMs: Date.parse(time), level: levelOfStatus(status), component: '', message: rest, isAccess: true };
  }
  const record = parseObject(line);
  if (!record) return undefined;
  const at = TIME_FIELDS.map((field) => record[field]).find((value) => typeof value === 'string');
  const timeMs = at === undefined ? Number.NaN : Date.parse(at as string);
  const status = STATUS_FIELDS.map((field) => record[field]).find((value) => value !== undefined);
  return {
    ...(Number.isFinite(timeMs) && { timeMs }),
    level: levelOfStatus(status),
    component: '',
    message: line,
    isAccess: true,
  };
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function toLevel(text: string): LogLevel {
  return LEVELS[text.toLowerCase()] ?? 'info';
}

function levelOfStatus(status: unknown): LogLevel {
  const code = Number(status);
  if (code >= 500 && code < 600) return 'error';
  return code >= 400 && code < 500 ? 'warn' : 'info';
}
