import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headersMessage, headersOf, REQUEST, runtimeOf, serve } from '../testing/recorded-exchange.ts';

const API_KEY = { api_key: { keys: [{ key: 'k1', subject: 'alice' }] } };
const LIMIT = { rate_limit: { requests_per_second: 0.001, burst: 1 } };

describe('the answer to headers', () => {
  it('for a block has status, header, body, and the reason in details', () => {
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

  it('for a limit has 429 and the seconds to wait', () => {
    const { ask } = serve(runtimeOf(LIMIT));
    const request = headersMessage([...REQUEST, ['x-forwarded-for', '192.0.2.1']]);
    expect(ask(request)?.case).toBe('requestHeaders');
    const response = ask(request);
    if (response?.case !== 'immediateResponse') throw new Error(String(response?.case));
    expect(response.value.status?.code).toBe(429);
    expect(headersOf(response.value.headers)[1]).toEqual(['retry-after', '1000']);
  });

  it('for an allowed request asks for nothing more and is the last', () => {
    const { open } = serve(runtimeOf(LIMIT));
    const { tell, call } = open();
    const request = headersMessage([...REQUEST, ['x-forwarded-for', '192.0.2.2']], { endOfStream: false });
    expect(tell(request)?.case).toBe('requestHeaders');
    expect(call.sent).toEqual(['finish']);
    expect(call.answers[0]?.modeOverride).toMatchObject({ responseHeaderMode: 2, requestBodyMode: 0 });
    expect(call.answers[0]?.dynamicMetadata).toEqual({ 'flotilla.shield': { action: 'allow' } });
  });

  it.each([
    ['no policy', API_KEY, [[':authority', 'other.example.com']]],
    ['a policy without engines', {}, REQUEST],
  ] as const)('does not call a request allowed to which %s applies', (_, engines, request) => {
    const { open } = serve(runtimeOf(engines));
    const { tell, call } = open();
    tell(headersMessage([...request]));
    expect(call.sent).toEqual(['finish']);
    expect(call.answers[0]?.dynamicMetadata).toBeUndefined();
  });

  it('for a known client contains its subject as metadata', () => {
    const { open } = serve(runtimeOf(API_KEY));
    const { tell, call } = open();
    tell(headersMessage([...REQUEST, ['x-api-key', 'k1']]));
    expect(call.answers[0]?.dynamicMetadata).toEqual({ 'flotilla.shield': { subject: 'alice', action: 'allow' } });
  });

  it('names the engine in the metadata if its block was only recorded', () => {
    const { open } = serve(runtimeOf(API_KEY, { mode: 'detect' }));
    const { tell, call } = open();
    expect(tell(headersMessage(REQUEST))?.case).toBe('requestHeaders');
    expect(call.answers[0]?.dynamicMetadata).toEqual({ 'flotilla.shield': { action: 'detect', engine: 'api_key' } });
  });

  it('uses the peer that Envoy reports if there is no X-Forwarded-For', () => {
    const { ask } = serve(runtimeOf(LIMIT));
    const cases = ['192.0.2.1:1', '192.0.2.2:1', '192.0.2.1:2'].map(
      (peer) => ask(headersMessage(REQUEST, { peer }))?.case,
    );
    expect(cases).toEqual(['requestHeaders', 'requestHeaders', 'immediateResponse']);
  });

  it('accepts values sent as text, too, and survives bytes that are not UTF-8', () => {
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

  it('does not depend on the previous request', () => {
    const { ask } = serve(runtimeOf(API_KEY));
    expect(ask(headersMessage([...REQUEST, ['x-api-key', 'k1']], { peer: '192.0.2.1:1' }))?.case).toBe(
      'requestHeaders',
    );
    expect(ask(headersMessage(REQUEST))?.case).toBe('immediateResponse');
    expect(ask(headersMessage([[':authority', 'other.example.com']]))?.case).toBe('requestHeaders');
  });

  it('is sent for any header list', () => {
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
