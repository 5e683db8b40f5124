import type { LogItem, RecordContents, RecordPlace } from '../recorded-request.ts';
import { bad, isRecord, toLogItem } from './parse-record.ts';
import { bodyOf, countOf, parseStatus, parseTimeMs, wasBlocked } from './record-fields.ts';

/** Parses a HAR 1.2 document, as browsers export it from their network panel. */
export function* parseHar(text: string, file: string): Generator<LogItem, void> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    yield bad({ file, line: 1 }, 'is not JSON');
    return;
  }
  const log = isRecord(value) && isRecord(value.log) ? value.log : undefined;
  if (log === undefined || !Array.isArray(log.entries)) {
    yield bad({ file, line: 1 }, 'is not a HAR: it has no log.entries');
    return;
  }
  for (const [index, entry] of (log.entries as readonly unknown[]).entries()) {
    yield parseEntry(entry, { file, line: index + 1 });
  }
}

function parseEntry(entry: unknown, place: RecordPlace): LogItem {
  const request = isRecord(entry) ? entry.request : undefined;
  if (!isRecord(entry) || !isRecord(request)) return bad(place, 'has no request');
  const method = typeof request.method === 'string' ? request.method : undefined;
  const headers = (Array.isArray(request.headers) ? (request.headers as readonly unknown[]) : []).flatMap(
    (header): [string, string][] =>
      isRecord(header) && typeof header.name === 'string' && typeof header.value === 'string'
        ? [[header.name, header.value]]
        : [],
  );
  const { body, bodyBase64, contents } = parseBody(request, method ?? '', headers);
  const response = isRecord(entry.response) ? entry.response : {};
  // 0: the browser got no response.
  const status = parseStatus(response.status);
  return toLogItem(
    {
      method,
      url: typeof request.url === 'string' && request.url !== '' ? request.url : undefined,
      headers,
      body,
      bodyBase64,
      timeMs: parseTimeMs(entry.startedDateTime),
      status,
      wasBlocked: wasBlocked(status, undefined),
      carries: { headers: headers.length === 0 ? 'some' : 'but_credentials', body: contents },
    },
    place,
  );
}

interface HarBody {
  readonly body?: string;
  readonly bodyBase64?: string;
  readonly contents: RecordContents['body'];
}

/** Returns the text of a posted body. A HAR does not contain a coded body as it was sent. */
function parseBody(
  request: Readonly<Record<string, unknown>>,
  method: string,
  headers: readonly (readonly [string, string])[],
): HarBody {
  const { postData } = request;
  const isEncoded = headers.some(([name, value]) => name.toLowerCase() === 'content-encoding' && value !== 'identity');
  if (isRecord(postData) && typeof postData.text === 'string' && postData.text !== '' && !isEncoded) {
    return postData.encoding === 'base64'
      ? { bodyBase64: postData.text, contents: 'whole' }
      : { body: postData.text, contents: 'whole' };
  }
  if (isRecord(postData)) return { contents: 'missing' };
  // -1 means unknown.
  const size = typeof request.bodySize === 'number' && request.bodySize >= 0 ? countOf(request.bodySize) : undefined;
  return { contents: bodyOf(method, size) };
}
