import { type LoadedPolicies, loadPolicyFiles } from '@flotilla/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLogText } from './read-log.ts';
import { RecordOrder } from './record-order.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { replayRequests } from './replay.ts';

function load(engines: object, { mode = 'block', routes = [] as object[], defaults = {} } = {}): LoadedPolicies {
  const spec = { defaults, domains: [{ hosts: ['api.example.com'], policy: { mode, engines }, routes }] };
  const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'shop' }, spec };
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return loaded.value;
}

interface Line {
  readonly ms?: number;
  readonly url?: string;
  readonly key?: string;
  readonly ip?: string;
  readonly status?: number;
  readonly [field: string]: unknown;
}

const START = Date.UTC(2026, 3, 1);

function log(lines: readonly Line[]): string {
  return lines
    .map(({ ms, url = '/v1', key, ip = '198.51.100.1', ...rest }) =>
      JSON.stringify({
        method: 'GET',
        url: `https://api.example.com${url}`,
        headers: key === undefined ? [] : [['x-api-key', key]],
        source_ip: ip,
        ...(ms === undefined ? {} : { time: new Date(START + ms).toISOString() }),
        ...rest,
      }),
    )
    .join('\n');
}

const run = (baseline: LoadedPolicies | undefined, candidate: LoadedPolicies, text: string, file = 'requests.jsonl') =>
  replayRequests(baseline, candidate, readLogText(file, text));

const OPEN = load({});
const KEYED = load({ api_key: { keys: [{ key: 'good' }] } });
const limited = (rps: number, burst: number, key = 'ip', header?: string) =>
  load({ rate_limit: { requests_per_second: rps, burst, key, ...(header ? { header } : {}) } });

describe('a replay', () => {
  it('counts flipped verdicts by engine, reason, route and client, with samples', () => {
    const report = run(OPEN, KEYED, log([{ key: 'good' }, { key: 'bad', ip: '198.51.100.2' }, {}, {}]));
    expect(report.totals).toMatchObject({
      requests: 4,
      baseline: { allowed: 4, blocked: 0, detected: 0 },
      candidate: { allowed: 1, blocked: 3, detected: 0 },
      flips: 3,
      allow_to_block: 3,
      block_to_allow: 0,
      undetermined: 0,
    });
    expect(report.by_reason.groups.map(({ name, allow_to_block }) => [name, allow_to_block])).toEqual([
      ['apikey.missing', 2],
      ['apikey.unknown', 1],
    ]);
    expect(report.by_client.groups.map(({ name, requests }) => [name, requests])).toEqual([
      ['198.51.100.1', 3],
      ['198.51.100.2', 1],
    ]);
    expect(report.by_route.groups).toMatchObject([{ name: 'shop api.example.com *', requests: 4 }]);
    expect(report.samples[0]).toMatchObject({
      flip: 'allow_to_block',
      host: 'api.example.com',
      path: '/v1',
      baseline: { verdict: 'allowed' },
      candidate: { verdict: 'blocked', engine: 'api_key', reason: 'apikey.unknown', status: 403 },
      file: 'requests.jsonl',
      line: 2,
    });
  });

  it('reports flips in the other direction, too', () => {
    expect(run(KEYED, OPEN, log([{}])).totals).toMatchObject({ block_to_allow: 1, flips: 1 });
    const other = load({ api_key: { keys: [{ key: 'x' }] } });
    expect(run(KEYED, other, log([{ key: 'good' }, {}])).totals).toMatchObject({ allow_to_block: 1, other_reason: 0 });
    const jwtless = run(KEYED, limited(0.001, 1), log([{ ms: 0 }, { ms: 1 }]));
    expect(jwtless.totals).toMatchObject({ block_to_allow: 1, other_reason: 1 });
    const watching = load({ api_key: { keys: [{ key: 'good' }] } }, { mode: 'detect' });
    expect(run(OPEN, watching, log([{}])).totals).toMatchObject({
      detection_changed: 1,
      candidate: { detected: 1, blocked: 0 },
    });
  });

  it('uses the recorded outcome as baseline if there is no policy', () => {
    const report = run(undefined, KEYED, log([{ status: 200 }, { status: 403 }, { key: 'good', status: 429 }, {}]));
    expect(report.baseline).toEqual({ kind: 'recorded', digest: null });
    expect(report.totals).toMatchObject({ allow_to_block: 2, block_to_allow: 1, without_status: 1 });
    const reasons = log([
      { status: 403, reason: 'apikey.unknown' },
      { status: 403, reason: 'apikey.missing' },
    ]);
    expect(run(undefined, KEYED, reasons).totals).toMatchObject({ flips: 1, other_reason: 1 });
  });

  it('judges rate limits by the times of the records', () => {
    const slow = log(Array.from({ length: 20 }, (_, n) => ({ ms: n * 1000 })));
    expect(run(undefined, limited(1, 1), slow).totals.candidate).toMatchObject({ allowed: 20 });
    const fast = log(Array.from({ length: 20 }, (_, n) => ({ ms: n * 100 })));
    expect(run(undefined, limited(1, 1), fast).totals.candidate).toMatchObject({ allowed: 2, blocked: 18 });
  });

  it('sorts records by time before limiters see them', () => {
    const times = Array.from({ length: 20 }, (_, n) => ({ ms: ((n * 7) % 20) * 1000 }));
    const report = run(undefined, limited(1, 1), log(times));
    expect(report.totals).toMatchObject({ out_of_order: 0, candidate: { allowed: 20 } });
    expect([report.from, report.to]).toEqual(['2026-04-01T00:00:00.000Z', '2026-04-01T00:00:19.000Z']);
  });

  it('gives a policy and its baseline separate limiters', () => {
    const text = log(Array.from({ length: 4 }, (_, n) => ({ ms: n })));
    expect(run(limited(0.001, 2), limited(0.001, 2), text).totals).toMatchObject({
      flips: 0,
      candidate: { blocked: 2 },
      baseline: { blocked: 2 },
    });
  });
});

describe('a missing part of a record', () => {
  const line = (n: number, path = '/v1') =>
    `[2026-04-01T10:00:0${n}.000Z] "GET ${path} HTTP/1.1" 200 - 0 2 1 1 "198.51.100.7" "agent" "r-${n}" "api.example.com" "u"`;

  it('does not block the request, but is counted', () => {
    const report = run(undefined, KEYED, [line(0), line(1)].join('\n'), 'access.log');
    expect(report.totals).toMatchObject({ undetermined: 2, flips: 0, candidate: { allowed: 2 } });
    expect(report.missing).toEqual([{ what: 'header x-api-key', engine: 'api_key', requests: 2 }]);
  });

  it('is not reported as a lifted block', () => {
    const blocked = (reason: string) =>
      `{"time":"2026-04-01T10:00:00.000Z","verdict":"blocked","method":"POST","host":"api.example.com","path":"/v1","reason":"${reason}","status":403}`;
    const keyed = run(undefined, KEYED, blocked('apikey.unknown'), 'findings.jsonl');
    expect(keyed.totals).toMatchObject({ undetermined: 1, flips: 0, candidate: { allowed: 0, blocked: 1 } });
    const graphql = load(
      { graphql: { max_depth: 2 } },
      { defaults: { inspect_request_body: true, max_request_body_bytes: 1000 } },
    );
    for (const reason of ['graphql.depth', 'body.too_large']) {
      expect(run(undefined, graphql, blocked(reason), 'findings.jsonl').totals.flips, reason).toBe(0);
    }
    expect(run(undefined, KEYED, blocked('graphql.depth'), 'findings.jsonl').totals.block_to_allow).toBe(1);
    expect(run(undefined, OPEN, blocked('apikey.unknown'), 'findings.jsonl').totals.block_to_allow).toBe(1);
    const inQuery = load({ api_key: { source: 'query', name: 'key', keys: [{ key: 'good' }] } });
    const detected = blocked('ratelimit.exceeded').replace('blocked', 'detected');
    expect(run(undefined, inQuery, detected, 'findings.jsonl').totals).toMatchObject({ undetermined: 1, flips: 0 });
    const byUrl = blocked('graphql.depth').replace('POST', 'GET');
    const asked = run(undefined, graphql, byUrl, 'findings.jsonl');
    expect(asked.missing).toEqual([{ what: 'the query', engine: 'graphql', requests: 1 }]);
    expect(asked.totals.flips).toBe(0);
    const answered = line(0).replace(' 200 ', ' 403 ');
    expect(run(undefined, KEYED, answered, 'access.log').totals).toMatchObject({ undetermined: 1, flips: 0 });
  });

  it('does not keep other engines from deciding', () => {
    const both = load({
      api_key: { keys: [{ key: 'good' }] },
      rate_limit: { requests_per_second: 0.001, burst: 1 },
    });
    const report = run(undefined, both, [line(0), line(1)].join('\n'), 'access.log');
    expect(report.totals).toMatchObject({ undetermined: 1, candidate: { allowed: 1, blocked: 1 } });
    expect(report.samples).toMatchObject([{ candidate: { reason: 'ratelimit.exceeded' }, is_undetermined: false }]);
  });

  it('may be the key of a limiter, the time, or a body', () => {
    const byUser = run(undefined, limited(0.001, 1, 'header', 'X-User'), [line(0), line(1)].join('\n'), 'access.log');
    expect(byUser.missing).toEqual([{ what: 'header x-user', engine: 'rate_limit', requests: 1 }]);
    const timeless = run(undefined, limited(0.001, 1), log([{}, {}, {}]));
    expect(timeless.totals).toMatchObject({ undetermined: 2, without_time: 3, candidate: { allowed: 3 } });
    const graphql = load(
      { graphql: { max_depth: 2 } },
      { defaults: { inspect_request_body: true, max_request_body_bytes: 1000 } },
    );
    const post = { method: 'POST', headers: [['content-type', 'application/json']] };
    const report = run(undefined, graphql, log([post, { ...post, body: '{"query":"{a{b{c}}}"}' }]));
    expect(report.totals).toMatchObject({ undetermined: 1, candidate: { blocked: 1, allowed: 1 } });
    expect(report.missing).toEqual([{ what: 'the body', engine: 'graphql', requests: 1 }]);
    expect(report.samples).toMatchObject([{ candidate: { reason: 'graphql.depth' } }]);
  });
});

it('is bounded, however many clients and flips there are', () => {
  const text = log(
    Array.from({ length: 30_000 }, (_, n) => ({
      url: `/${'x'.repeat(60)}${n}`,
      ip: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
      ms: n,
    })),
  );
  const report = run(OPEN, KEYED, text);
  expect(report.totals.flips).toBe(30_000);
  expect(report.samples).toHaveLength(10);
  expect(report.by_client.groups).toHaveLength(50);
  expect(report.by_client.others).toEqual({ requests: 29_950, flips: 29_950 });
  expect(JSON.stringify(report).length).toBeLessThan(100_000);
});

it('contains no query, no header and no body', () => {
  const text = log([{ url: '/v1?token=SECRET-Q', key: 'SECRET-K', method: 'POST', body: 'SECRET-B', ms: 0 }]);
  expect(JSON.stringify(run(OPEN, KEYED, text))).not.toContain('SECRET');
});

it('records are ordered by time, and by arrival within the same time', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined })), (times) => {
      const order = new RecordOrder();
      const records = times.map(
        (timeMs, line): RecordedRequest => ({
          request: { method: 'GET', url: '/' },
          timeMs,
          wasBlocked: undefined,
          status: undefined,
          reason: undefined,
          carries: { headers: 'all', body: 'none' },
          place: { file: 'f', line },
        }),
      );
      const sorted = [...records.flatMap((record) => [...order.push(record)]), ...order.end()];
      expect(sorted.map(({ place }) => place.line).sort((a, b) => a - b)).toEqual(times.map((_, line) => line));
      const timed = sorted.filter(({ timeMs }) => timeMs !== undefined);
      for (const [at, record] of timed.entries()) {
        const before = timed[at - 1];
        if (before === undefined) continue;
        expect(before.timeMs ?? 0).toBeLessThanOrEqual(record.timeMs ?? 0);
        if (before.timeMs === record.timeMs) expect(before.place.line).toBeLessThan(record.place.line);
      }
    }),
  );
});
