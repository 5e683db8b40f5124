import type { LogItem, RecordPlace } from '../recorded-request.ts';
import { bad, toLogItem } from './parse-record.ts';
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

/** The common beginning of both formats: `[time] "METHOD path PROTOCOL" code flags`. */
const HEAD = /^\[([^\]]{1,64})\] "(\S{1,64}) (.*?) (HTTP\/[\d.]+|-)" (\d{1,3}) (\S+) /;
/** The rest of Envoy's default format: bytes, duration, upstream time, XFF, user agent, request id, authority, upstream. */
const DEFAULT_TAIL = /^(\d+) (\d+) (\d+) (\S+) "([^"]*)" "(.*)" "([^"]*)" "([^"]*)" "([^"]*)"$/;
/**
 * The rest of Istio's format: response code details, termination details and upstream failure precede the bytes;
 * addresses follow.
 */
const ISTIO_TAIL =
  /^(\S+) (\S+) "([^"]*)" (\d+) (\d+) (\d+) (\S+) "([^"]*)" "(.*)" "([^"]*)" "([^"]*)" "([^"]*)" (.*)$/;

/**
 * Parses a line of Envoy's text access log, in its default format (Envoy documentation, "Access logging", default
 * format string) or in Istio's, which has response code details and the client's address. Envoy does not escape quoted
 * values, so a user agent may contain quotes; the fields after it are matched from the end.
 */
export function parseEnvoyLine(line: string, place: RecordPlace): LogItem {
  const head = HEAD.exec(line);
  if (head === null) return bad(place, 'is not in a format that is understood');
  const [whole, time, method = '', path, , status, flags] = head;
  const rest = line.slice(whole.length);
  const istio = ISTIO_TAIL.exec(rest);
  const plain = istio === null ? DEFAULT_TAIL.exec(rest) : null;
  if (istio === null && plain === null) return bad(place, 'is not in a format that is understood');
  const [, bytes, forwardedFor, agent, requestId, authority] =
    istio === null
      ? [undefined, plain?.[1], plain?.[5], plain?.[6], plain?.[7], plain?.[8]]
      : [undefined, istio[4], istio[8], istio[9], istio[10], istio[11]];
  const details = textOf(istio?.[1]);
  // `cluster local downstream_local downstream_remote sni route`.
  const client = parseClient(istio?.[13]?.split(' ')[3]);
  const headers: [string, string][] = [];
  if (textOf(forwardedFor) !== undefined) headers.push(['x-forwarded-for', forwardedFor ?? '']);
  if (textOf(agent) !== undefined) headers.push(['user-agent', agent ?? '']);
  if (textOf(requestId) !== undefined) headers.push(['x-request-id', requestId ?? '']);
  const code = parseStatus(status);
  return toLogItem(
    {
      method: textOf(method),
      url: textOf(path),
      host: textOf(authority) ?? '',
      headers,
      sourceIp: client,
      timeMs: parseTimeMs(time),
      status: code,
      wasBlocked: flags === 'RL' ? false : wasBlocked(code, details),
      reason: reasonOf(details),
      carries: { headers: 'some', body: bodyOf(method, countOf(bytes)) },
    },
    place,
  );
}
