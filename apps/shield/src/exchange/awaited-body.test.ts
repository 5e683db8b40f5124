import { gzipSync } from 'node:zlib';
import { MalformedMessage } from '@flotilla/grpc-wire';
import { describe, expect, it } from 'vitest';
import { bodyMessage, type Headers, headersMessage, runtimeOf, serve } from '../testing/recorded-exchange.ts';

const GRAPHQL = { graphql: { max_depth: 3 } };
const INSPECT = { inspect_request_body: true, max_request_body_bytes: 200 };
const POST: Headers = [
  [':method', 'POST'],
  [':path', '/graphql'],
  [':authority', 'api.example.com'],
  ['content-type', 'application/json'],
];
const DEEP = JSON.stringify({ query: '{a{b{c{d}}}}' });

describe('a request whose body is wanted', () => {
  const open = (headers: Headers = POST, engines: object = GRAPHQL) => {
    const { open: begin, notes } = serve(runtimeOf(engines, INSPECT));
    const exchange = begin();
    exchange.tell(headersMessage(headers, { endOfStream: false }));
    return { ...exchange, notes };
  };

  it('continues to its body by BUFFERED_PARTIAL, and passes if the body is allowed', () => {
    const { tell, call, notes } = open();
    expect(call.sent).toEqual(['send']);
    expect(call.answers[0]?.modeOverride).toMatchObject({ requestBodyMode: 3, responseHeaderMode: 2 });
    expect(tell(bodyMessage('{"query":"{a}"}'))?.case).toBe('requestBody');
    expect(call.sent).toEqual(['send', 'finish']);
    expect(notes.lines).toEqual(['body asked', 'body arrived', 'inspected 15', 'decided: allowed']);
  });

  it('is blocked by the content of the body, also if trailers follow and the message does not end the request', () => {
    for (const endOfStream of [true, false]) {
      const { tell, call, notes } = open();
      expect(tell(bodyMessage(DEEP, endOfStream))).toMatchObject({ value: { details: 'graphql.depth' } });
      expect(call.sent).toEqual(['send', 'finish']);
      expect(notes.lines.slice(-2)).toEqual(['blocked graphql graphql.depth', 'decided: blocked']);
    }
  });

  it('waits if there is memory for its headers, which is released however a wait ends', () => {
    const { open: begin, notes } = serve(runtimeOf(GRAPHQL, INSPECT), 10_000);
    const wait = () => {
      const exchange = begin();
      exchange.tell(headersMessage(POST, { endOfStream: false }));
      return exchange;
    };
    const ends: ((exchange: ReturnType<typeof wait>) => void)[] = [
      ({ tell }) => tell(bodyMessage('{"query":"{a}"}')),
      ({ tell }) => tell(bodyMessage(DEEP)),
      ({ handler }) => handler.onAbort(true),
      ({ handler }) => handler.onHalfClose(),
      ({ tell }) => expect(() => tell({})).toThrow(MalformedMessage),
      ({ tell }) => expect(() => tell(headersMessage(POST))).toThrow('came where'),
    ];
    wait();
    for (const end of ends) {
      const last = wait();
      expect(wait).toThrow('too many requests wait');
      end(last);
      last.handler.onAbort(false);
    }
    expect(notes.lines.filter((line) => line === 'body asked')).toHaveLength(1 + ends.length);
    wait();
  });

  it('is decided by its own headers, whatever came in between', () => {
    const { open: begin } = serve(runtimeOf(GRAPHQL, INSPECT));
    const first = begin();
    first.tell(headersMessage(POST, { endOfStream: false }));
    const second = begin();
    second.tell(headersMessage([[':authority', 'other.example.com']]));
    expect(first.tell(bodyMessage(DEEP))).toMatchObject({ value: { details: 'graphql.depth' } });
  });

  it('keeps its headers separate from those of other waiting requests, in any order of bodies', () => {
    const { open: begin } = serve(runtimeOf(GRAPHQL, INSPECT));
    const body = gzipSync(DEEP);
    const kinds = ['gzip', 'identity', 'br'].map(
      (encoding): Headers => [...POST, ['content-encoding', encoding], ['x-padding', encoding.repeat(1000)]],
    );
    // A deep query; bytes that are not JSON and so contain no query; an undecodable body.
    const details = ['graphql.depth', undefined, 'body.undecodable'];
    for (let round = 0; round < 4; round++) {
      const waiting = Array.from({ length: 12 }, (_, n) => {
        const exchange = begin();
        exchange.tell(headersMessage(kinds[n % 3] ?? [], { endOfStream: false }));
        return { ...exchange, n };
      });
      for (const { tell, n } of waiting.toSorted((a, b) => ((a.n * 7 + round) % 12) - ((b.n * 7 + round) % 12))) {
        const answer = tell({ request: { case: 'requestBody', value: { body, endOfStream: true } } });
        const found = answer?.case === 'immediateResponse' ? answer.value.details : undefined;
        expect(found).toBe(details[n % 3]);
      }
    }
  });

  it('is decided by the bundle that was current when it began', () => {
    const runtimes = [runtimeOf(GRAPHQL, INSPECT), runtimeOf({})];
    const { open: begin } = serve(() => runtimes.shift() ?? runtimeOf({}));
    const exchange = begin();
    exchange.tell(headersMessage(POST, { endOfStream: false }));
    begin().tell(headersMessage(POST, { endOfStream: false }));
    expect(exchange.tell(bodyMessage(DEEP))).toMatchObject({ value: { details: 'graphql.depth' } });
  });

  it('is blocked if the body exceeds the limit or was truncated by the proxy', () => {
    expect(open().tell(bodyMessage('x'.repeat(201)))).toMatchObject({ value: { details: 'body.too_large' } });
    const cut = open([...POST, ['content-length', '150']]);
    expect(cut.tell(bodyMessage('{"query":"{a}"}', false))).toMatchObject({ value: { details: 'body.too_large' } });
    expect(cut.notes.lines).toContain('cut below the cap');
    const whole = open([...POST, ['content-length', '15']]);
    expect(whole.tell(bodyMessage('{"query":"{a}"}', false))?.case).toBe('requestBody');
  });

  it('is not asked for its body if the headers show that it cannot be read', () => {
    const { open: begin, notes } = serve(runtimeOf(GRAPHQL, INSPECT));
    for (const [header, reason] of [
      [['content-length', '201'], 'body.too_large'],
      [['content-encoding', 'gzip, lzma'], 'body.undecodable'],
    ] as const) {
      notes.lines.length = 0;
      const { tell, call } = begin();
      const answer = tell(headersMessage([...POST, header], { endOfStream: false }));
      expect(answer).toMatchObject({ case: 'immediateResponse', value: { details: reason } });
      expect(call.sent).toEqual(['finish']);
      expect(notes.lines).toEqual([`blocked body ${reason}`, 'decided: blocked']);
    }
  });

  it('is not asked for its body if the URL of a POST has decided', () => {
    const { open: begin, notes } = serve(runtimeOf(GRAPHQL, INSPECT));
    const { tell, call } = begin();
    const target = [':path', `/graphql?query=${encodeURIComponent('{a{b{c{d}}}}')}`] as const;
    const headers = POST.map((header) => (header[0] === ':path' ? target : header));
    expect(tell(headersMessage(headers, { endOfStream: false }))).toMatchObject({
      case: 'immediateResponse',
      value: { details: 'graphql.depth' },
    });
    expect(call.sent).toEqual(['finish']);
    expect(notes.lines).not.toContain('body asked');
  });

  it('counts as truncated if its length is unknown and it may have filled a buffer; a client cannot exploit that', () => {
    const big = { inspect_request_body: true, max_request_body_bytes: 100_000 };
    const begin = () => {
      const { open: opened, notes } = serve(runtimeOf(GRAPHQL, big));
      const exchange = opened();
      exchange.tell(headersMessage(POST, { endOfStream: false }));
      return { ...exchange, notes };
    };
    const fine = (length: number) => '{"query":"{a}"}'.padEnd(length, ' ');
    const doubtful = begin();
    expect(doubtful.tell(bodyMessage(fine(16_384), false))).toMatchObject({ value: { details: 'body.too_large' } });
    expect(doubtful.notes.lines).toContain('body arrived');
    expect(begin().tell(bodyMessage(fine(16_383), false))?.case).toBe('requestBody');
    expect(begin().tell(bodyMessage(fine(16_384), true))?.case).toBe('requestBody');
  });

  it('passes if it has only trailers', () => {
    const { tell, call } = open();
    expect(tell({ request: { case: 'requestTrailers', value: {} } })?.case).toBe('requestTrailers');
    expect(call.sent).toEqual(['send', 'finish']);
  });

  it('does not pass if another message or none follows', () => {
    const other = open();
    expect(() => other.tell({ request: { case: 'responseHeaders', value: {} } })).toThrow('responseHeaders came');
    expect(other.notes.lines).toContain('body missing');
    const none = open();
    none.handler.onHalfClose();
    expect(none.call.sent).toEqual(['send', 'fail 13']);
    expect(none.notes.lines).toContain('body abandoned');
    const gone = open();
    gone.handler.onAbort(false);
    expect(gone.notes.lines).toContain('body abandoned');
    const ignored = open();
    ignored.handler.onAbort(true);
    expect(ignored.notes.lines.slice(-1)).toEqual(['body ignored']);
  });

  it('is not asked for a body if the headers end the request, or if no engine inspects it', () => {
    const { open: begin } = serve(runtimeOf(GRAPHQL, INSPECT));
    const ended = begin();
    ended.tell(headersMessage(POST));
    expect(ended.call.sent).toEqual(['finish']);
    const upload = begin();
    upload.tell(headersMessage([...POST.slice(0, 3), ['content-type', 'image/png']], { endOfStream: false }));
    expect(upload.call.sent).toEqual(['finish']);
  });
});
