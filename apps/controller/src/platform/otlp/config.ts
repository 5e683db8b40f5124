import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { err, ok, type Result, toErrorMessage } from '@flotilla/kit';

/** Where one signal goes. */
export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly gzip: boolean;
  /** PEM. Undefined: the authorities of the operating system. */
  readonly ca: string | undefined;
}

export interface OtlpConfig {
  /** Undefined: not exported. */
  readonly metrics: OtlpTarget | undefined;
  readonly logs: OtlpTarget | undefined;
  readonly intervalMs: number;
  /** Attributes of the resource, such as `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
}

type Signal = 'METRICS' | 'LOGS';
type Environment = Readonly<Record<string, string | undefined>>;

const PATHS: Readonly<Record<Signal, string>> = { METRICS: 'v1/metrics', LOGS: 'v1/logs' };
const TIMEOUT_MS = 10_000;
const INTERVAL_MS = 60_000;
const LONGEST_MS = 24 * 3_600_000;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const HEADER_VALUE = /^[^\u0000-\u001f\u007f-\uffff]*$/;
/** Headers that the request sets itself. */
const OWN_HEADERS = new Set(['content-type', 'content-length', 'content-encoding', 'host', 'transfer-encoding']);

/**
 * Reads the variables of the OpenTelemetry specification. Complaints name the variable and never contain its value, because headers and
 * addresses may hold credentials.
 */
export function parseOtlp(env: Environment): Result<OtlpConfig, string> {
  const resource = parseResource(env);
  const intervalMs = parseMs(env, 'OTEL_METRIC_EXPORT_INTERVAL', INTERVAL_MS);
  if (!resource.ok) return resource;
  if (!intervalMs.ok) return intervalMs;
  const metrics = parseTarget(env, 'METRICS');
  const logs = parseTarget(env, 'LOGS');
  if (!metrics.ok) return metrics;
  if (!logs.ok) return logs;
  return ok({ metrics: metrics.value, logs: logs.value, intervalMs: intervalMs.value, resource: resource.value });
}

/** The variable of the signal, or else that of all signals. An empty one counts as unset. */
function read(
  env: Environment,
  signal: Signal,
  name: string,
): { readonly name: string; readonly value: string } | undefined {
  for (const full of [`OTEL_EXPORTER_OTLP_${signal}_${name}`, `OTEL_EXPORTER_OTLP_${name}`]) {
    const value = env[full]?.trim();
    if (value) return { name: full, value };
  }
  return undefined;
}

function parseTarget(env: Environment, signal: Signal): Result<OtlpTarget | undefined, string> {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return ok(undefined);
  const exporter = env[`OTEL_${signal}_EXPORTER`]?.trim() || 'otlp';
  if (exporter === 'none') return ok(undefined);
  if (exporter !== 'otlp') return err(`OTEL_${signal}_EXPORTER must be otlp or none`);
  const endpoint = read(env, signal, 'ENDPOINT');
  if (!endpoint) return ok(undefined);
  const url = parseEndpoint(endpoint, signal);
  if (!url.ok) return url;
  const protocol = read(env, signal, 'PROTOCOL');
  if (protocol && protocol.value !== 'http/json') return err(`${protocol.name} must be http/json`);
  const headers = parseHeaders(read(env, signal, 'HEADERS'));
  if (!headers.ok) return headers;
  const timeout = read(env, signal, 'TIMEOUT');
  const timeoutMs = parseMs(env, timeout?.name ?? 'OTEL_EXPORTER_OTLP_TIMEOUT', TIMEOUT_MS);
  if (!timeoutMs.ok) return timeoutMs;
  const compression = read(env, signal, 'COMPRESSION');
  if (compression && !['gzip', 'none'].includes(compression.value))
    return err(`${compression.name} must be gzip or none`);
  const ca = readCertificate(read(env, signal, 'CERTIFICATE'));
  if (!ca.ok) return ca;
  return ok({
    url: url.value,
    headers: headers.value,
    timeoutMs: timeoutMs.value,
    gzip: compression?.value === 'gzip',
    ca: ca.value,
  });
}

/** The address of all signals is a base; that of one signal is used as it is. */
function parseEndpoint(
  { name, value }: { readonly name: string; readonly value: string },
  signal: Signal,
): Result<string, string> {
  const url = URL.parse(value);
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.hash !== ''
  ) {
    return err(`${name} must be an address such as https://otel.example.com:4318, without a user`);
  }
  if (name.includes(`_${signal}_`)) return ok(url.href);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${PATHS[signal]}`;
  return ok(url.href);
}

/** `name=value` pairs, separated by commas, with percent-encoding (W3C Baggage). */
function parsePairs(name: string, text: string): Result<Record<string, string>, string> {
  const pairs: Record<string, string> = {};
  for (const part of text.split(',').filter((one) => one.trim() !== '')) {
    const at = part.indexOf('=');
    if (at < 1) return err(`${name} must be NAME=VALUE pairs, separated by commas`);
    try {
      pairs[part.slice(0, at).trim()] = decodeURIComponent(part.slice(at + 1).trim());
    } catch {
      return err(`${name} has a value that is not percent-encoded`);
    }
  }
  return ok(pairs);
}

function parseHeaders(
  given: { readonly name: string; readonly value: string } | undefined,
): Result<Record<string, string>, string> {
  if (!given) return ok({});
  const pairs = parsePairs(given.name, given.value);
  if (!pairs.ok) return pairs;
  const headers: Record<string, string> = {};
  for (const [header, value] of Object.entries(pairs.value)) {
    if (!HEADER_NAME.test(header) || !HEADER_VALUE.test(value))
      return err(`${given.name} has a header that HTTP does not allow`);
    if (OWN_HEADERS.has(header.toLowerCase())) return err(`${given.name} must not set ${header.toLowerCase()}`);
    headers[header.toLowerCase()] = value;
  }
  return ok(headers);
}

function parseResource(env: Environment): Result<Record<string, string>, string> {
  const given = parsePairs('OTEL_RESOURCE_ATTRIBUTES', env.OTEL_RESOURCE_ATTRIBUTES ?? '');
  if (!given.ok) return given;
  const name = env.OTEL_SERVICE_NAME?.trim();
  return ok({
    'service.name': 'flotilla-controller',
    'host.name': hostname(),
    ...given.value,
    ...(name && { 'service.name': name }),
  });
}

function parseMs(env: Environment, name: string, absent: number): Result<number, string> {
  const value = Number(env[name]?.trim() || absent);
  return Number.isInteger(value) && value >= 1 && value <= LONGEST_MS
    ? ok(value)
    : err(`${name} must be milliseconds, from 1 to ${LONGEST_MS}`);
}

function readCertificate(
  given: { readonly name: string; readonly value: string } | undefined,
): Result<string | undefined, string> {
  if (!given) return ok(undefined);
  try {
    return ok(readFileSync(given.value, 'utf8'));
  } catch (error) {
    return err(`${given.name} names a file that cannot be read: ${toErrorMessage(error)}`);
  }
}
