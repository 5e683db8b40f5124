import { parseTrialRequest } from '../../explain/parse-trial-request.ts';
import type { LogItem, RecordPlace } from '../recorded-request.ts';
import { bad, isRecord, toLogItem } from './parse-record.ts';
import {
  bodyOf,
  countOf,
  parseClient,
  parseStatus,
  parseTimeMs,
  reasonOf,
  textOf,
  wasBlocked,
} from './record-fields.ts';
import { parseTrafficEvent } from './traffic-event.ts';

/**
 * Parses one line of JSON: a request in our own format (`TrialRequest` plus `time`, `status` and `reason`), a finding
 * (from `/events`, or a line of the filter's log), or a line of an Envoy access log in JSON.
 */
export function parseJsonLine(line: string, place: RecordPlace): LogItem {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // The parser's message would quote the line.
    return bad(place, 'is not JSON');
  }
  if (!isRecord(value)) return bad(place, 'is not a JSON object');
  if (isRecord(value.traffic_event)) return parseTrafficEvent(value.traffic_event, place);
  const finding = isRecord(value.finding) ? value.finding : value;
  if (typeof finding.verdict === 'string' && typeof finding.path === 'string') return parseFinding(finding, place);
  return typeof value.url === 'string' && typeof value.method === 'string' && value.response_code === undefined
    ? parseOwn(value, place)
    : parseAccessLog(value, place);
}

/** Members besides the request in our own format. */
const BESIDE: ReadonlySet<string> = new Set(['time', 'status', 'reason', 'was_blocked']);

function parseOwn(value: Readonly<Record<string, unknown>>, place: RecordPlace): LogItem {
  const members = Object.entries(value);
  const parsed = parseTrialRequest(Object.fromEntries(members.filter(([name]) => !BESIDE.has(name))));
  if (!parsed.ok) return bad(place, parsed.error);
  const { method, url, host, body, body_base64, source_ip, peer, trusted_hops } = parsed.value;
  const hasBody = body !== undefined || body_base64 !== undefined;
  const status = parseStatus(value.status);
  const reason = textOf(value.reason);
  return toLogItem(
    {
      method,
      url,
      host,
      headers: value.headers === undefined ? undefined : parsed.value.headers,
      body,
      bodyBase64: body_base64,
      sourceIp: source_ip,
      peer,
      trustedHops: trusted_hops,
      timeMs: parseTimeMs(value.time),
      status,
      wasBlocked: typeof value.was_blocked === 'boolean' ? value.was_blocked : wasBlocked(status, reason),
      reason: reasonOf(reason),
      carries: {
        headers: value.headers === undefined ? 'some' : 'all',
        body: hasBody ? 'whole' : bodyOf(method, undefined),
      },
    },
    place,
  );
}

function parseFinding(finding: Readonly<Record<string, unknown>>, place: RecordPlace): LogItem {
  const method = textOf(finding.method);
  const requestId = textOf(finding.request_id);
  const blocked = finding.verdict === 'blocked';
  return toLogItem(
    {
      method,
      url: textOf(finding.path),
      host: textOf(finding.host) ?? '',
      headers: requestId === undefined ? undefined : [['x-request-id', requestId]],
      sourceIp: parseClient(finding.source_ip),
      timeMs: parseTimeMs(finding.time),
      status: blocked ? parseStatus(finding.status) : undefined,
      wasBlocked: blocked,
      reason: blocked ? reasonOf(textOf(finding.reason)) : undefined,
      carries: { headers: 'some', body: bodyOf(method ?? '', undefined), query: 'missing' },
    },
    place,
  );
}

/** Common field names in JSON access logs of Envoy, the most specific first. Compared in lowercase. */
export const ACCESS_LOG_FIELDS = {
  time: ['start_time', '@timestamp', 'timestamp', 'time', 'starttime', 'ts'],
  method: ['method', ':method', 'request_method', 'http_method', 'req_method'],
  path: [
    'x-envoy-original-path',
    'x_envoy_original_path',
    'original_path',
    'path',
    ':path',
    'request_path',
    'request_uri',
    'uri',
    'url',
  ],
  host: ['authority', ':authority', 'request_authority', 'req_authority', 'host', 'domain'],
  status: ['response_code', 'status', 'status_code', 'responsecode', 'code'],
  details: ['response_code_details', 'responsecodedetails', 'response_details'],
  forwardedFor: ['x_forwarded_for', 'x-forwarded-for', 'forwarded_for', 'xff'],
  client: [
    'downstream_remote_address',
    'downstream_remote_address_without_port',
    'remote_address',
    'remote_addr',
    'client_ip',
    'source_ip',
  ],
  agent: ['user_agent', 'user-agent', 'useragent'],
  requestId: ['request_id', 'x-request-id', 'x_request_id'],
  bytes: ['bytes_received', 'request_bytes', 'bytes_in'],
} as const;

function parseAccessLog(value: Readonly<Record<string, unknown>>, place: RecordPlace): LogItem {
  const members = new Map(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member]));
  const find = (names: readonly string[]) => {
    const name = names.find((one) => members.has(one) && members.get(one) !== null && members.get(one) !== '-');
    return name === undefined ? undefined : members.get(name);
  };
  const fields = ACCESS_LOG_FIELDS;
  const headers: [string, string][] = [];
  const addHeader = (name: string, names: readonly string[]) => {
    const text = textOf(find(names));
    if (text !== undefined) headers.push([name, text]);
  };
  addHeader('x-forwarded-for', fields.forwardedFor);
  addHeader('user-agent', fields.agent);
  addHeader('x-request-id', fields.requestId);
  for (const name of ['request_headers', 'headers']) {
    const nested = members.get(name);
    if (!isRecord(nested)) continue;
    for (const [key, text] of Object.entries(nested)) if (typeof text === 'string') headers.push([key, text]);
  }
  const method = textOf(find(fields.method));
  const status = parseStatus(find(fields.status));
  const details = textOf(find(fields.details));
  return toLogItem(
    {
      method,
      url: textOf(find(fields.path)),
      host: textOf(find(fields.host)),
      headers,
      sourceIp: parseClient(find(fields.client)),
      timeMs: parseTimeMs(find(fields.time)),
      status,
      wasBlocked: wasBlocked(status, details),
      reason: reasonOf(details),
      carries: { headers: 'some', body: bodyOf(method ?? '', countOf(find(fields.bytes))) },
    },
    place,
  );
}
