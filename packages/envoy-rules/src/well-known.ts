/** Seconds and nanoseconds of a Duration or a Timestamp. A negative duration has both negative. */
export interface SecondsNanos {
  readonly seconds: bigint;
  readonly nanos: number;
}

const NANOS_PER_SECOND = 1_000_000_000n;

/** Returns nanoseconds, so that durations and timestamps can be compared. */
export function toNanos(value: SecondsNanos | undefined): bigint | undefined {
  return value === undefined ? undefined : value.seconds * NANOS_PER_SECOND + BigInt(value.nanos);
}

export function fromNanos(nanos: bigint): SecondsNanos {
  return { seconds: nanos / NANOS_PER_SECOND, nanos: Number(nanos % NANOS_PER_SECOND) };
}

const DURATION = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/;
/** duration.proto: about 10,000 years. */
const MAX_DURATION_SECONDS = 315_576_000_000n;
const TIMESTAMP = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;
const MIN_TIMESTAMP_MS = Date.parse('0001-01-01T00:00:00Z');
const MAX_TIMESTAMP_MS = Date.parse('9999-12-31T23:59:59Z');

/** Reads `1.5s`, with at most nine digits of fraction. */
export function parseDuration(json: unknown): SecondsNanos | undefined {
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

/** Writes nanoseconds as a duration for people, without zeros at the end of the fraction: `0.5s`. */
export function showDuration(nanos: bigint): string {
  return formatDuration(fromNanos(nanos)).replace(/(\.\d*?)0+s$/, '$1s');
}

/** Reads RFC 3339 with any offset, years 1 to 9999. */
export function parseTimestamp(json: unknown): SecondsNanos | undefined {
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

/** Writes three, six or nine digits, as proto-JSON does. */
function formatFraction(nanos: number): string {
  if (nanos === 0) return '';
  const digits = String(nanos).padStart(9, '0');
  if (digits.endsWith('000000')) return `.${digits.slice(0, 3)}`;
  return digits.endsWith('000') ? `.${digits.slice(0, 6)}` : `.${digits}`;
}

/** Reads `user.displayName,photo` as snake_case paths. */
export function parseFieldMask(json: unknown): string[] | undefined {
  if (typeof json !== 'string' || json.includes('_')) return undefined;
  if (json === '') return [];
  return json.split(',').map((path) => path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

export function formatFieldMask(paths: readonly string[]): string {
  return paths.map((path) => path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())).join(',');
}

/** Returns the message name at the end of a type URL (`type.googleapis.com/envoy...`). */
export function typeNameOfUrl(url: unknown): string | undefined {
  if (typeof url !== 'string') return undefined;
  const slash = url.lastIndexOf('/');
  return slash === -1 || slash === url.length - 1 ? undefined : url.slice(slash + 1);
}

/** Returns the camelCase spelling of a field name. Proto-JSON accepts both. */
export function toCamelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The forms in which proto-JSON writes the messages of `google.protobuf`. */
export type WellKnown =
  | 'any'
  | 'duration'
  | 'empty'
  | 'field_mask'
  | 'list_value'
  | 'struct'
  | 'timestamp'
  | 'value'
  | 'wrapper';

const PREFIX = 'google.protobuf.';

const FORMS: Readonly<Record<string, WellKnown>> = {
  Any: 'any',
  Duration: 'duration',
  Empty: 'empty',
  FieldMask: 'field_mask',
  ListValue: 'list_value',
  Struct: 'struct',
  Timestamp: 'timestamp',
  Value: 'value',
};

const WRAPPED: Readonly<Record<string, string>> = {
  BoolValue: 'bool',
  BytesValue: 'bytes',
  DoubleValue: 'double',
  FloatValue: 'float',
  Int32Value: 'int32',
  Int64Value: 'int64',
  StringValue: 'string',
  UInt32Value: 'uint32',
  UInt64Value: 'uint64',
};

/** Returns the special form of a message in proto-JSON; undefined for a message that is written as an object of its fields. */
export function wellKnownOf(typeName: string): WellKnown | undefined {
  if (!typeName.startsWith(PREFIX)) return undefined;
  const name = typeName.slice(PREFIX.length);
  if (Object.hasOwn(WRAPPED, name)) return 'wrapper';
  return Object.hasOwn(FORMS, name) ? FORMS[name] : undefined;
}

/** Returns the scalar type that a wrapper message (`google.protobuf.UInt32Value`) carries. */
export function wrappedScalar(typeName: string): string | undefined {
  if (!typeName.startsWith(PREFIX)) return undefined;
  const name = typeName.slice(PREFIX.length);
  return Object.hasOwn(WRAPPED, name) ? WRAPPED[name] : undefined;
}
