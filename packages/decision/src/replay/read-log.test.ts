import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOG_LINE_MAX_CHARS, LogReader, readLogText } from './read-log.ts';
import type { LogItem, RecordedRequest } from './recorded-request.ts';

const DEFAULT_LINE =
  '[2026-04-01T10:00:00.123Z] "POST /api/v1/locations?x=1 HTTP/2" 204 - 154 0 226 100 "203.0.113.5, 10.0.35.28" ' +
  '"nsq2http/1.0 (a "quoted" agent)" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "api.example.com:8443" "tcp://10.0.2.1:80"';
const ISTIO_LINE =
  '[2026-04-01T10:00:01.000Z] "GET /admin HTTP/1.1" 403 - apikey.missing - "-" 0 17 1 - "203.0.113.5" "curl/8.0" ' +
  '"r-1" "api.example.com" "-" outbound|80||up - 10.1.0.7:8080 198.51.100.9:51234 - default';
const JSON_LINE = JSON.stringify({
  start_time: '2026-04-01T10:00:02Z',
  method: 'GET',
  path: '/x',
  authority: 'api.example.com',
  response_code: 429,
  response_code_details: 'via_upstream',
  downstream_remote_address: '198.51.100.9:51234',
  x_forwarded_for: null,
  bytes_received: 0,
});
const OWN_LINE = JSON.stringify({
  time: 1_775_037_603,
  method: 'POST',
  url: 'https://api.example.com/graphql',
  headers: [['content-type', 'application/json']],
  body: '{}',
  status: 200,
});
const FINDING_LINE = JSON.stringify({
  level: 30,
  event: 'finding',
  finding: {
    seq: 1,
    time: '2026-04-01T10:00:04.000Z',
    method: 'GET',
    host: 'api.example.com',
    path: '/admin',
    reason: 'apikey.unknown',
    verdict: 'blocked',
    status: 403,
    source_ip: '198.51.100.9',
  },
});

const read = (text: string, file = 'access.log') => [...readLogText(file, text)];
const records = (items: readonly LogItem[]): RecordedRequest[] =>
  items.flatMap((item) => (item.kind === 'request' ? [item.record] : []));
const first = (text: string) => {
  const [record] = records(read(text));
  if (record === undefined) throw new Error(JSON.stringify(read(text)));
  return record;
};

describe('an Envoy access log', () => {
  it('is parsed in the default format, including quotes in the user agent', () => {
    expect(first(DEFAULT_LINE)).toEqual({
      request: {
        method: 'POST',
        url: '/api/v1/locations?x=1',
        host: 'api.example.com:8443',
        headers: [
          ['x-forwarded-for', '203.0.113.5, 10.0.35.28'],
          ['user-agent', 'nsq2http/1.0 (a "quoted" agent)'],
          ['x-request-id', 'cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2'],
        ],
      },
      timeMs: Date.UTC(2026, 3, 1, 10, 0, 0, 123),
      status: 204,
      wasBlocked: false,
      reason: undefined,
      carries: { headers: 'some', body: 'missing' },
      place: { file: 'access.log', line: 1 },
    });
  });

  it("is parsed in Istio's format, with the filter's reason and the client's address", () => {
    expect(first(ISTIO_LINE)).toMatchObject({
      request: { url: '/admin', host: 'api.example.com', source_ip: '198.51.100.9' },
      status: 403,
      wasBlocked: true,
      reason: 'apikey.missing',
      carries: { body: 'none' },
    });
  });

  it('is parsed as JSON; a 429 from the upstream is not counted as the filter’s', () => {
    expect(first(JSON_LINE)).toMatchObject({
      request: { method: 'GET', url: '/x', source_ip: '198.51.100.9', headers: [] },
      timeMs: Date.UTC(2026, 3, 1, 10, 0, 2),
      status: 429,
      wasBlocked: false,
      reason: undefined,
    });
    expect(first(JSON.stringify({ method: 'GET', path: '/', status: '403' }))).toMatchObject({ wasBlocked: true });
  });

  it.each([
    ['start_time', 'response_code', ':method', ':path', ':authority'],
    ['@timestamp', 'status', 'request_method', 'request_uri', 'host'],
    ['ts', 'code', 'method', 'x-envoy-original-path', 'domain'],
  ])('knows the fields %s, %s, %s, %s and %s', (time, status, method, path, host) => {
    const line = { [time]: '2026-04-01T10:00:00Z', [status]: 200, [method]: 'GET', [path]: '/p', [host]: 'h.example' };
    expect(first(JSON.stringify(line))).toMatchObject({
      request: { method: 'GET', url: '/p', host: 'h.example' },
      timeMs: Date.UTC(2026, 3, 1, 10),
      status: 200,
    });
  });
});

describe('JSON lines', () => {
  it('contain requests in our own format, with everything that was sent', () => {
    expect(first(OWN_LINE)).toMatchObject({
      request: { url: 'https://api.example.com/graphql', body: '{}' },
      timeMs: 1_775_037_603_000,
      carries: { headers: 'all', body: 'whole' },
      wasBlocked: false,
    });
    expect(first('{"method":"GET","url":"/"}')).toMatchObject({ carries: { headers: 'some', body: 'none' } });
  });

  it('contain findings, as the filter logs them and as /events returns them', () => {
    const expected = {
      request: { host: 'api.example.com', url: '/admin' },
      wasBlocked: true,
      reason: 'apikey.unknown',
    };
    expect(first(FINDING_LINE)).toMatchObject(expected);
    expect(first(JSON.stringify(JSON.parse(FINDING_LINE).finding))).toMatchObject(expected);
  });
});

describe('a HAR', () => {
  const har = (entry: object) => JSON.stringify({ log: { version: '1.2', entries: [entry] } }, null, 2);
  const request = {
    method: 'POST',
    url: 'https://api.example.com/graphql?x=1',
    headers: [{ name: 'X-Api-Key', value: 'k' }],
    postData: { mimeType: 'application/json', text: '{"query":"{a}"}' },
    bodySize: 15,
  };
  const entry = { startedDateTime: '2026-04-01T10:00:00.000+02:00', request, response: { status: 403 } };

  it('is recognized by its name or its beginning', () => {
    for (const [file, text] of [
      ['x.har', har(entry)],
      ['x.json', har(entry)],
      ['x.txt', JSON.stringify(JSON.parse(har(entry)))],
      ['bom', `\ufeff${har(entry)}`],
    ] as const) {
      expect(records(read(text, file))).toMatchObject([
        {
          request: { url: 'https://api.example.com/graphql?x=1', body: '{"query":"{a}"}' },
          timeMs: Date.UTC(2026, 3, 1, 8),
          status: 403,
          wasBlocked: true,
          carries: { headers: 'but_credentials', body: 'whole' },
          place: { file, line: 1 },
        },
      ]);
    }
  });

  it('says what it lacks of a body', () => {
    const contents = (change: object) => first(har({ ...entry, request: { ...request, ...change } })).carries.body;
    expect(contents({ postData: undefined })).toBe('missing');
    expect(contents({ postData: undefined, bodySize: 0 })).toBe('none');
    expect(contents({ postData: { params: [] } })).toBe('missing');
    expect(contents({ headers: [{ name: 'Content-Encoding', value: 'gzip' }] })).toBe('missing');
  });

  it('skips an invalid entry and keeps the others', () => {
    const text = JSON.stringify({ log: { entries: [1, entry, { request: {} }] } });
    expect(read(text, 'x.har').map(({ kind }) => kind)).toEqual(['bad', 'request', 'bad']);
    expect(read('{"log":', 'x.har')).toEqual([{ kind: 'bad', bad: { file: 'x.har', line: 1, why: 'is not JSON' } }]);
    expect(read('{}', 'x.har')).toMatchObject([{ kind: 'bad' }]);
  });
});

describe('a log', () => {
  it('continues after lines that are not records, and names them', () => {
    const items = read([DEFAULT_LINE, 'SECRET line', '', '{"SECRET', ISTIO_LINE, '{"method":"GET"}'].join('\n'));
    expect(items.map((item) => (item.kind === 'request' ? item.record.place.line : item.bad))).toEqual([
      1,
      { file: 'access.log', line: 2, why: 'is not in a format that is understood' },
      { file: 'access.log', line: 4, why: 'is not JSON' },
      5,
      { file: 'access.log', line: 6, why: 'names no path or URL' },
    ]);
    expect(JSON.stringify(items.filter(({ kind }) => kind === 'bad'))).not.toContain('SECRET');
  });

  it('names requests in our own format without a scheme and a path', () => {
    const line = JSON.stringify({ method: 'GET', url: 'api.example.com/SECRET', headers: [] });
    const why =
      'url needs a scheme or a leading slash: write https://api.example.com/v1, or /v1 with api.example.com as the host';
    expect(read([OWN_LINE, line].join('\n'), 'own.jsonl')).toMatchObject([
      { kind: 'request' },
      { kind: 'bad', bad: { file: 'own.jsonl', line: 2, why } },
    ]);
  });

  it('skips a line that is too long', () => {
    const reader = new LogReader('x', 'envoy');
    const items: LogItem[] = [];
    const piece = 'x'.repeat(1024 * 1024);
    for (let i = 0; i < 10; i++) items.push(...reader.push(piece));
    items.push(...reader.push(`\n${DEFAULT_LINE}\n`), ...reader.end());
    expect(items.map((item) => (item.kind === 'bad' ? item.bad.why : item.record.place.line))).toEqual([
      `is longer than ${LOG_LINE_MAX_CHARS} characters`,
      2,
    ]);
  });

  it('gives the same result in pieces of any size', () => {
    const text = Buffer.from(`${DEFAULT_LINE}\r\nnö record\n${OWN_LINE}\n${ISTIO_LINE}\n${FINDING_LINE}`);
    const whole = read(text.toString());
    expect(records(whole)).toHaveLength(4);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }), (sizes) => {
        const reader = new LogReader('access.log');
        const items: LogItem[] = [];
        for (let at = 0, n = 0; at < text.length; n++) {
          const size = sizes[n % sizes.length] ?? 1;
          items.push(...reader.push(text.subarray(at, at + size)));
          at += size;
        }
        items.push(...reader.end());
        expect(items).toEqual(whole);
      }),
      { numRuns: 200 },
    );
  });

  it('of any text yields items, never an error', () => {
    const lines = [DEFAULT_LINE, ISTIO_LINE, JSON_LINE, OWN_LINE, FINDING_LINE];
    const mutated = fc
      .tuple(fc.constantFrom(...lines), fc.nat(), fc.string({ unit: 'binary', maxLength: 6 }))
      .map(([line, at, text]) => line.slice(0, at % line.length) + text + line.slice((at % line.length) + 2));
    fc.assert(
      fc.property(fc.array(fc.oneof(mutated, fc.string({ unit: 'binary' }), fc.json()), { maxLength: 5 }), (texts) => {
        for (const format of [undefined, 'har', 'jsonl', 'envoy'] as const) {
          for (const item of readLogText('f', texts.join('\n'), format))
            expect(['request', 'bad']).toContain(item.kind);
        }
      }),
      { numRuns: 500 },
    );
  });
});
