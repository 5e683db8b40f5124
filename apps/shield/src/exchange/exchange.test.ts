import { gzipSync } from 'node:zlib';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { buildRuntime, type Finding, type PolicyRuntime } from '@flotilla/decision';
import { type Call, MalformedMessage, type PreparedMessage } from '@flotilla/grpc-wire';
import { loadPolicyFiles } from '@flotilla/policy';
import { extProc } from '@flotilla/proto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ExchangeListener, ExchangeServer } from './exchange.ts';

type Message = Parameters<typeof create<typeof extProc.ProcessingRequestSchema>>[1];
type Headers = readonly (readonly [string, string | Uint8Array])[];

/** Writes down what an exchange tells. */
class Notes implements ExchangeListener {
  readonly lines: string[] = [];
  onFinding({ engine, verdict, outcome }: Finding): void {
    this.lines.push(`${outcome} ${engine} ${verdict.reason}`);
  }
  onEngineError(engine: string): void {
    this.lines.push(`broken ${engine}`);
  }
  onDecided(isBlocked: boolean): void {
    this.lines.push(isBlocked ? 'decided: blocked' : 'decided: allowed');
  }
  onBodyInspected(bytes: number): void {
    this.lines.push(`inspected ${bytes}`);
  }
  onBodyAsked(): void {
    this.lines.push('body asked');
  }
  onBodyArrived(isComplete: boolean): void {
    this.lines.push(isComplete ? 'body arrived' : 'body cut');
  }
  onBodyCut(isBelowCap: boolean): void {
    this.lines.push(isBelowCap ? 'cut below the cap' : 'cut');
  }
  onHeadersMissing(): void {
    this.lines.push('headers missing');
  }
  onBodyMissing(): void {
    this.lines.push('body missing');
  }
  onBodyIgnored(): void {
    this.lines.push('body ignored');
  }
  onBodyAbandoned(): void {
    this.lines.push('body abandoned');
  }
}

/** The wire's side of a call; keeps what would have left. */
class RecordedCall implements Call {
  readonly sent: string[] = [];
  readonly answers: extProc.ProcessingResponse[] = [];
  send(message: PreparedMessage): void {
    this.sent.push('send');
    this.#keep(message);
  }
  finish(message: PreparedMessage | undefined): void {
    this.sent.push('finish');
    if (message) this.#keep(message);
  }
  fail(status: number): void {
    this.sent.push(`fail ${status}`);
  }
  #keep({ payload }: PreparedMessage): void {
    expect(payload.readUInt32BE(1)).toBe(payload.length - 5);
    this.answers.push(fromBinary(extProc.ProcessingResponseSchema, payload.subarray(5)));
  }
}

function runtimeOf(engines: object, defaults: object = {}): PolicyRuntime {
  const spec = { defaults, domains: [{ hosts: ['api.example.com'], policy: { engines } }] };
  const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'p' }, spec };
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return buildRuntime(loaded.value, { nowMs: 0 });
}

function serve(runtime: PolicyRuntime | (() => PolicyRuntime), trustedHops = 0, awaitedMaxBytes?: number) {
  const notes = new Notes();
  const currentRuntime = typeof runtime === 'function' ? runtime : () => runtime;
  const server = new ExchangeServer({
    trustedHops,
    listener: notes,
    currentRuntime,
    ...(awaitedMaxBytes === undefined ? {} : { awaitedMaxBytes }),
  });
  const open = () => {
    const call = new RecordedCall();
    const handler = server.open(call);
    const tell = (init: Message) => {
      const encoded = toBinary(extProc.ProcessingRequestSchema, create(extProc.ProcessingRequestSchema, init));
      // The bytes belong to the wire, which uses them again.
      const bytes = Buffer.concat([Buffer.from('before'), encoded, Buffer.from('behind')]);
      handler.onMessage(bytes, 6, 6 + encoded.length);
      bytes.fill(0);
      return call.answers.at(-1)?.response;
    };
    return { tell, handler, call };
  };
  return { notes, open, ask: (init: Message) => open().tell(init) };
}

const REQUEST: Headers = [
  [':method', 'GET'],
  [':path', '/x'],
  [':authority', 'api.example.com'],
];

function headersMessage(headers: Headers, options: { peer?: string; endOfStream?: boolean } = {}): Message {
  const { peer, endOfStream = true } = options;
  return {
    request: {
      case: 'requestHeaders',
      value: {
        headers: { headers: headers.map(([key, value]) => ({ key, rawValue: Buffer.from(value) })) },
        endOfStream,
      },
    },
    attributes: peer === undefined ? {} : { 'envoy.filters.http.ext_proc': { 'source.address': peer } },
  };
}

const bodyMessage = (body: string, endOfStream = true): Message => ({
  request: { case: 'requestBody', value: { body: Buffer.from(body), endOfStream } },
});

const API_KEY = { api_key: { keys: [{ key: 'k1', subject: 'alice' }] } };
const LIMIT = { rate_limit: { requests_per_second: 0.001, burst: 1 } };
const headersOf = (mutation: extProc.HeaderMutation | undefined) =>
  (mutation?.setHeaders ?? []).map(({ header }) => [header?.key, Buffer.from(header?.rawValue ?? []).toString()]);

describe('the answer to headers', () => {
  it('that are blocked has status, header, body, and the reason in details', () => {
    const { open, notes } = serve(runtimeOf(API_KEY));
    const { tell, call } = open();
    const response = tell(headersMessage(REQUEST));
    if (response?.case !== 'immediateResponse') throw new Error(String(response?.case));
    expect(response.value.status?.code).toBe(403);
    expect(response.value.details).toBe('apikey.missing');
    expect(Buffer.from(response.value.body).toString()).toBe('Request blocked.\n');
    expect(headersOf(response.value.headers)).toEqual([['x-svc-shield', 'blocked']]);
    expect(call.sent).toEqual(['finish']);
    expect(notes.lines).toEqual(['blocked api_key apikey.missing', 'decided: blocked']);
  });

  it('that are limited has 429 and the seconds to wait', () => {
    const { ask } = serve(runtimeOf(LIMIT));
    const request = headersMessage([...REQUEST, ['x-forwarded-for', '192.0.2.1']]);
    expect(ask(request)?.case).toBe('requestHeaders');
    const response = ask(request);
    if (response?.case !== 'immediateResponse') throw new Error(String(response?.case));
    expect(response.value.status?.code).toBe(429);
    expect(headersOf(response.value.headers)[1]).toEqual(['retry-after', '1000']);
  });

  it('that may go on asks for nothing more and is the last', () => {
    const { open } = serve(runtimeOf({}));
    const { tell, call } = open();
    expect(tell(headersMessage(REQUEST, { endOfStream: false }))?.case).toBe('requestHeaders');
    expect(call.sent).toEqual(['finish']);
    expect(call.answers[0]?.modeOverride).toMatchObject({ responseHeaderMode: 2, requestBodyMode: 0 });
    expect(call.answers[0]?.dynamicMetadata).toBeUndefined();
  });

  it('of a known client tells its subject as metadata', () => {
    const { open } = serve(runtimeOf(API_KEY));
    const { tell, call } = open();
    tell(headersMessage([...REQUEST, ['x-api-key', 'k1']]));
    expect(call.answers[0]?.dynamicMetadata).toEqual({ 'flotilla.shield': { subject: 'alice' } });
  });

  it('takes the peer that Envoy reports where there is no X-Forwarded-For', () => {
    const { ask } = serve(runtimeOf(LIMIT));
    const cases = ['192.0.2.1:1', '192.0.2.2:1', '192.0.2.1:2'].map(
      (peer) => ask(headersMessage(REQUEST, { peer }))?.case,
    );
    expect(cases).toEqual(['requestHeaders', 'requestHeaders', 'immediateResponse']);
  });

  it('reads values sent as text, too, and survives bytes that are not UTF-8', () => {
    const { ask } = serve(runtimeOf(API_KEY));
    const asText = [...REQUEST, ['x-api-key', 'k1']].map(([key = '', value = '']) => ({ key, value: String(value) }));
    expect(ask({ request: { case: 'requestHeaders', value: { headers: { headers: asText } } } })?.case).toBe(
      'requestHeaders',
    );
    const odd = headersMessage([...REQUEST, ['x-api-key', new Uint8Array([0xff, 0xfe])]]);
    expect(ask(odd)).toMatchObject({ value: { details: 'apikey.unknown' } });
  });

  it('falls back to the host header, and treats a request without a host as one that no domain covers', () => {
    const { ask } = serve(runtimeOf(API_KEY));
    const byHost = headersMessage([
      [':path', '/'],
      ['host', 'API.example.com:80'],
    ]);
    expect(ask(byHost)?.case).toBe('immediateResponse');
    expect(ask(headersMessage([]))?.case).toBe('requestHeaders');
  });

  it('does not depend on the request before', () => {
    const { ask } = serve(runtimeOf(API_KEY));
    expect(ask(headersMessage([...REQUEST, ['x-api-key', 'k1']], { peer: '192.0.2.1:1' }))?.case).toBe(
      'requestHeaders',
    );
    expect(ask(headersMessage(REQUEST))?.case).toBe('immediateResponse');
    expect(ask(headersMessage([[':authority', 'other.example.com']]))?.case).toBe('requestHeaders');
  });

  it('comes for any header list, whatever it holds', () => {
    const { ask } = serve(runtimeOf({ ...API_KEY, ...LIMIT }));
    const name = fc.oneof(fc.constantFrom(':path', ':authority', 'host', 'x-api-key', 'x-forwarded-for'), fc.string());
    const value = fc.oneof(fc.string(), fc.webUrl(), fc.ipV6(), fc.uint8Array());
    const peer = fc.option(fc.string(), { nil: undefined });
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 12 }), peer, (headers, from) => {
        const options = from === undefined ? {} : { peer: from };
        expect(['requestHeaders', 'immediateResponse']).toContain(ask(headersMessage(headers, options))?.case);
      }),
      { numRuns: 2000 },
    );
  });
});

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

  it('goes on to its body by BUFFERED_PARTIAL, and through when the body is fine', () => {
    const { tell, call, notes } = open();
    expect(call.sent).toEqual(['send']);
    expect(call.answers[0]?.modeOverride).toMatchObject({ requestBodyMode: 3, responseHeaderMode: 2 });
    expect(tell(bodyMessage('{"query":"{a}"}'))?.case).toBe('requestBody');
    expect(call.sent).toEqual(['send', 'finish']);
    expect(notes.lines).toEqual(['body asked', 'body arrived', 'inspected 15', 'decided: allowed']);
  });

  it('is blocked by what the body holds, also where trailers follow and the message does not end the request', () => {
    for (const endOfStream of [true, false]) {
      const { tell, call, notes } = open();
      expect(tell(bodyMessage(DEEP, endOfStream))).toMatchObject({ value: { details: 'graphql.depth' } });
      expect(call.sent).toEqual(['send', 'finish']);
      expect(notes.lines.slice(-2)).toEqual(['blocked graphql graphql.depth', 'decided: blocked']);
    }
  });

  it('waits while there is room for its headers; room comes back however a wait ends', () => {
    const { open: begin, notes } = serve(runtimeOf(GRAPHQL, INSPECT), 0, 10_000);
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

  it('keeps its headers apart from those that wait beside it, in whatever order the bodies come', () => {
    const { open: begin } = serve(runtimeOf(GRAPHQL, INSPECT));
    const body = gzipSync(DEEP);
    const kinds = ['gzip', 'identity', 'br'].map(
      (encoding): Headers => [...POST, ['content-encoding', encoding], ['x-padding', encoding.repeat(1000)]],
    );
    // A deep query; bytes that are no JSON, so no query; what cannot be undone.
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

  it('is decided by the bundle that held when it began', () => {
    const runtimes = [runtimeOf(GRAPHQL, INSPECT), runtimeOf({})];
    const { open: begin } = serve(() => runtimes.shift() ?? runtimeOf({}));
    const exchange = begin();
    exchange.tell(headersMessage(POST, { endOfStream: false }));
    begin().tell(headersMessage(POST, { endOfStream: false }));
    expect(exchange.tell(bodyMessage(DEEP))).toMatchObject({ value: { details: 'graphql.depth' } });
  });

  it('with a body over the cap, or one that the proxy cut, is blocked', () => {
    expect(open().tell(bodyMessage('x'.repeat(201)))).toMatchObject({ value: { details: 'body.too_large' } });
    const cut = open([...POST, ['content-length', '150']]);
    expect(cut.tell(bodyMessage('{"query":"{a}"}', false))).toMatchObject({ value: { details: 'body.too_large' } });
    expect(cut.notes.lines).toContain('cut below the cap');
    const whole = open([...POST, ['content-length', '15']]);
    expect(whole.tell(bodyMessage('{"query":"{a}"}', false))?.case).toBe('requestBody');
  });

  it('is not asked for it where the headers say that nobody could read it', () => {
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

  it('is not asked for it where the URL of a POST has decided', () => {
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

  it('of no stated length, and a body that may have filled a buffer, is taken as cut; a client proves nothing by it', () => {
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

  it('but has trailers only goes through', () => {
    const { tell, call } = open();
    expect(tell({ request: { case: 'requestTrailers', value: {} } })?.case).toBe('requestTrailers');
    expect(call.sent).toEqual(['send', 'finish']);
  });

  it('is not let through when another message comes, or none', () => {
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

  it('asks for no body where the headers end the request, and where no engine looks at it', () => {
    const { open: begin } = serve(runtimeOf(GRAPHQL, INSPECT));
    const ended = begin();
    ended.tell(headersMessage(POST));
    expect(ended.call.sent).toEqual(['finish']);
    const upload = begin();
    upload.tell(headersMessage([...POST.slice(0, 3), ['content-type', 'image/png']], { endOfStream: false }));
    expect(upload.call.sent).toEqual(['finish']);
  });
});

describe('what an engine grants', () => {
  const EXTRAS = {
    api_key: { keys: [{ key: 'k1', subject: 'alice' }], subject_header: 'x-user', strip_credential: true },
  };
  const mutationOf = (response: extProc.ProcessingResponse['response'] | undefined) => {
    if (response?.case !== 'requestHeaders') throw new Error(String(response?.case));
    return response.value.response?.headerMutation;
  };

  it('is done to the request: the credential goes, the subject comes', () => {
    const { ask } = serve(runtimeOf(EXTRAS));
    const mutation = mutationOf(ask(headersMessage([...REQUEST, ['x-api-key', 'k1'], ['x-user', 'root']])));
    expect(mutation?.removeHeaders).toEqual(['x-api-key', 'x-user']);
    expect(headersOf(mutation)).toEqual([['x-user', 'alice']]);
    expect(mutation?.setHeaders[0]?.appendAction).toBe(2);
  });

  it('takes a credential out of the query, for each request its own', () => {
    const { ask } = serve(runtimeOf({ api_key: { ...EXTRAS.api_key, source: 'query', name: 'key' } }));
    const target = (path: string) =>
      headersOf(
        mutationOf(
          ask(
            headersMessage([
              [':method', 'GET'],
              [':path', path],
              [':authority', 'api.example.com'],
            ]),
          ),
        ),
      );
    expect(target('/x?a=1&key=k1')).toContainEqual([':path', '/x?a=1']);
    expect(target('/y?k%65y=k1')).toContainEqual([':path', '/y']);
  });

  it('is kept from a client that names itself, also where mode detect lets it go on', () => {
    const runtime = runtimeOf(EXTRAS, { mode: 'detect' });
    const mutation = mutationOf(serve(runtime).ask(headersMessage([...REQUEST, ['x-user', 'root']])));
    expect(mutation?.removeHeaders).toContain('x-user');
    expect(mutation?.setHeaders).toEqual([]);
  });
});

describe('an exchange', () => {
  it('gives no pass to a request whose headers it never saw', () => {
    const { open, ask } = serve(runtimeOf({}));
    expect(() => ask(bodyMessage(''))).toThrow('began with requestBody');
    expect(() => ask({})).toThrow(MalformedMessage);
    const silent = open();
    silent.handler.onHalfClose();
    expect(silent.call.sent).toEqual(['fail 13']);
  });
});
