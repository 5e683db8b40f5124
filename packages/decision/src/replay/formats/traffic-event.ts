import type { LogItem, RecordPlace } from '../recorded-request.ts';
import { toLogItem } from './parse-record.ts';
import { bodyOf, countOf, parseClient, parseStatus, parseTimeMs, textOf } from './record-fields.ts';

/**
 * Parses an event of the controller's event store. It has the template of the path, the scheme of the credentials and hashes, but no
 * header, no query and no address. `source_ip` is an address that the controller derived from the hash of the source: two events
 * have the same one if their sources were the same.
 */
export function parseTrafficEvent(event: Readonly<Record<string, unknown>>, place: RecordPlace): LogItem {
  const method = textOf(event.method);
  const isAnonymous = event.anonymous === true;
  const wasBlocked = event.action === 'block';
  return toLogItem(
    {
      method,
      url: textOf(event.path),
      host: textOf(event.host) ?? '',
      sourceIp: parseClient(event.source_ip),
      timeMs: parseTimeMs(event.time_ms),
      status: parseStatus(event.status),
      wasBlocked,
      carries: {
        headers: isAnonymous ? 'no_credentials' : 'some',
        body: bodyOf(method ?? '', countOf(event.request_bytes)),
        query: 'missing',
        path: 'template',
      },
      weight: countOf(event.weight),
      client: textOf(event.client),
    },
    place,
  );
}
