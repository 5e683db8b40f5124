import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { buildRuntime, type PolicyRuntime } from '@flotilla/decision';
import { loadPolicyFiles } from '@flotilla/policy';
import { extProc } from '@flotilla/proto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openExchange } from './filter.ts';
import { ShieldMetrics } from './metrics.ts';

function runtimeOf(engines: object): PolicyRuntime {
  const spec = { domains: [{ hosts: ['api.example.com'], policy: { engines } }] };
  const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'p' }, spec };
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return buildRuntime(loaded.value, { nowMs: 0 });
}

function open(runtime: PolicyRuntime, trustedHops = 0) {
  const metrics = new ShieldMetrics({ engines: () => runtime.engines, onEngineFailure: () => undefined });
  const exchange = openExchange({ trustedHops, metrics, currentRuntime: () => runtime });
  const answer = (message: extProc.ProcessingRequest) =>
    fromBinary(extProc.ProcessingResponseSchema, exchange.answer(message).bytes).response;
  return { answer, metrics };
}

/** Through bytes, as Envoy sends it. */
function headersMessage(headers: readonly [string, string | Uint8Array][], peer?: string): extProc.ProcessingRequest {
  const message = create(extProc.ProcessingRequestSchema, {
    request: {
      case: 'requestHeaders',
      value: {
        headers: {
          headers: headers.map(([key, value]) =>
            typeof value === 'string' ? { key, rawValue: Buffer.from(value) } : { key, rawValue: value },
          ),
        },
      },
    },
    attributes: peer === undefined ? {} : { 'envoy.filters.http.ext_proc': { 'source.address': peer } },
  });
  return fromBinary(extProc.ProcessingRequestSchema, toBinary(extProc.ProcessingRequestSchema, message));
}

const REQUEST: [string, string][] = [
  [':method', 'GET'],
  [':path', '/x'],
  [':authority', 'api.example.com'],
];
const API_KEY = { api_key: { keys: [{ key: 'k1' }] } };
const LIMIT = { rate_limit: { requests_per_second: 0.001, burst: 1 } };

describe('an exchange', () => {
  it('answers a block with status, header, body and the reason in details', () => {
    const { answer } = open(runtimeOf(API_KEY));
    const response = answer(headersMessage(REQUEST));
    if (response.case !== 'immediateResponse') throw new Error(String(response.case));
    expect(response.value.status?.code).toBe(403);
    expect(response.value.details).toBe('apikey.missing');
    expect(Buffer.from(response.value.body).toString()).toBe('Request blocked.\n');
    const headers = response.value.headers?.setHeaders.map(({ header }) => [
      header?.key,
      Buffer.from(header?.rawValue ?? []).toString(),
    ]);
    expect(headers).toEqual([['x-svc-shield', 'blocked']]);
  });

  it('answers a limited request with 429 and the seconds to wait', () => {
    const runtime = runtimeOf(LIMIT);
    const ask = () => open(runtime).answer(headersMessage([...REQUEST, ['x-forwarded-for', '192.0.2.1']]));
    expect(ask().case).toBe('requestHeaders');
    const response = ask();
    if (response.case !== 'immediateResponse') throw new Error(String(response.case));
    expect(response.value.status?.code).toBe(429);
    const retry = response.value.headers?.setHeaders[1]?.header;
    expect([retry?.key, Buffer.from(retry?.rawValue ?? []).toString()]).toEqual(['retry-after', '1000']);
  });

  it('takes the peer that Envoy reports where there is no X-Forwarded-For', () => {
    const runtime = runtimeOf(LIMIT);
    const ask = (peer: string) => open(runtime).answer(headersMessage(REQUEST, peer)).case;
    expect([ask('192.0.2.1:1'), ask('192.0.2.2:1'), ask('192.0.2.1:2')]).toEqual([
      'requestHeaders',
      'requestHeaders',
      'immediateResponse',
    ]);
  });

  it('reads header values sent as text, too, and survives bytes that are not UTF-8', () => {
    const runtime = runtimeOf(API_KEY);
    const message = create(extProc.ProcessingRequestSchema, {
      request: {
        case: 'requestHeaders',
        value: { headers: { headers: [...REQUEST, ['x-api-key', 'k1']].map(([key, value]) => ({ key, value })) } },
      },
    });
    expect(open(runtime).answer(message).case).toBe('requestHeaders');
    const odd = headersMessage([...REQUEST, ['x-api-key', new Uint8Array([0xff, 0xfe])]]);
    expect(open(runtime).answer(odd)).toMatchObject({ value: { details: 'apikey.unknown' } });
  });

  it('falls back to the host header, and treats an empty request as one for no host', () => {
    const runtime = runtimeOf(API_KEY);
    expect(
      open(runtime).answer(
        headersMessage([
          [':path', '/'],
          ['host', 'API.example.com:80'],
        ]),
      ).case,
    ).toBe('immediateResponse');
    expect(open(runtime).answer(headersMessage([])).case).toBe('requestHeaders');
  });

  it('gives no pass to a request whose headers it never saw', () => {
    const body = create(extProc.ProcessingRequestSchema, { request: { case: 'requestBody', value: {} } });
    expect(() => open(runtimeOf({})).answer(body)).toThrow('began with requestBody');
    expect(() => open(runtimeOf({})).answer(create(extProc.ProcessingRequestSchema))).toThrow('unknown');
  });

  it('answers any header list, whatever it holds', () => {
    const { answer } = open(runtimeOf({ ...API_KEY, ...LIMIT }));
    const name = fc.oneof(fc.constantFrom(':path', ':authority', 'host', 'x-api-key', 'x-forwarded-for'), fc.string());
    const value = fc.oneof(fc.string(), fc.webUrl(), fc.ipV6(), fc.uint8Array());
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, value), { maxLength: 12 }),
        fc.option(fc.string(), { nil: undefined }),
        (headers, peer) => {
          expect(['requestHeaders', 'immediateResponse']).toContain(answer(headersMessage(headers, peer)).case);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('keeps the bundle it began with', () => {
    const runtimes = [runtimeOf(API_KEY), runtimeOf({})];
    const metrics = new ShieldMetrics({ engines: () => [], onEngineFailure: () => undefined });
    const exchange = openExchange({ trustedHops: 0, metrics, currentRuntime: () => runtimes.shift() ?? runtimeOf({}) });
    const answers = [1, 2].map(
      () => fromBinary(extProc.ProcessingResponseSchema, exchange.answer(headersMessage(REQUEST)).bytes).response.case,
    );
    expect(answers).toEqual(['immediateResponse', 'immediateResponse']);
  });

  it('counts what it decided', async () => {
    const { answer, metrics } = open(runtimeOf(API_KEY));
    answer(headersMessage(REQUEST));
    const text = await metrics.registry.metrics();
    expect(text).toContain('flotilla_shield_requests_total{outcome="blocked"} 1');
    expect(text).toContain('flotilla_shield_blocked_total{engine="api_key",reason="apikey.missing",severity="high"} 1');
    expect(text).toContain(
      'flotilla_shield_detections_total{engine="rate_limit",reason="ratelimit.exceeded",severity="low"} 0',
    );
  });
});
