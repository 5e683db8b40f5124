import { buildRuntime, CounterBook, Decision, TrialView } from '@flotilla/decision';
import { loadPolicyFiles } from '@flotilla/policy';
import { describe, expect, it } from 'vitest';
import { SelfTest, type SelfTestResult } from '../self-test/self-test.ts';
import { createTrafficCells, TrafficRecorder } from '../threads/traffic-recorder.ts';
import { renderMetrics } from './exposition.ts';
import { HEADERS_TIMED_EVERY } from './phase-timing.ts';
import { ShieldMetrics } from './shield-metrics.ts';

function start() {
  const document = {
    apiVersion: 'flotilla.dev/v1',
    kind: 'SecurityPolicy',
    metadata: { name: 'p' },
    spec: {
      domains: [
        {
          hosts: ['*'],
          policy: {
            engines: {
              rate_limit: { requests_per_second: 0.001, burst: 1, key: 'header', header: 'X-User' },
              api_key: { keys: [{ key: 'k' }] },
            },
          },
        },
      ],
    },
  };
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const counters = new CounterBook();
  const runtime = buildRuntime(loaded.value, { nowMs: 0, counters });
  const traffic = createTrafficCells(2);
  let reading: SelfTestResult = { state: 'unknown', problems: [] };
  const nothing = () => undefined;
  const recorders = [0, 1].map(
    (thread) =>
      new TrafficRecorder({
        cells: traffic,
        thread,
        selfTest: new SelfTest(),
        onFinding: nothing,
        onEngineError: nothing,
        onExchangeError: nothing,
      }),
  );
  const metrics = new ShieldMetrics({
    threads: 2,
    traffic,
    counters,
    limiters: () => runtime.limiters,
    selfTest: () => reading,
  });
  const ask = (user: string, thread = 0) => {
    const view = new TrialView({ method: 'GET', url: '/', host: 'a.example', headers: [['x-user', user]] });
    const recorder = recorders[thread];
    if (recorder === undefined) throw new Error('no such thread');
    recorder.onDecided(typeof new Decision(runtime, recorder).decideHeaders(view, false) === 'object');
  };
  const read = async (name: string) =>
    (await metrics.render())
      .split('\n')
      .filter((line) => line.startsWith(`flotilla_shield_${name}`))
      .map((line) => line.slice('flotilla_shield_'.length));
  return { metrics, recorders, ask, read, fail: () => (reading = { state: 'failing', problems: ['x'] }) };
}

describe('/metrics', () => {
  it('sums the counts of all threads, by engine, reason and severity', async () => {
    const { ask, read } = start();
    ask('a');
    ask('a', 1);
    ask('b', 1);
    expect(await read('requests_total')).toEqual([
      'requests_total{outcome="allowed"} 0',
      'requests_total{outcome="blocked"} 3',
    ]);
    const blocked = await read('blocked_total');
    expect(blocked.filter((line) => !line.endsWith(' 0'))).toEqual([
      'blocked_total{engine="api_key",reason="apikey.missing",severity="high"} 2',
      'blocked_total{engine="rate_limit",reason="ratelimit.exceeded",severity="low"} 1',
    ]);
    expect(blocked).toContain('blocked_total{engine="body",reason="body.too_large",severity="medium"} 0');
    expect(await read('threads ')).toEqual(['threads 2']);
  });

  it('shows the fill level of limiters with requests', async () => {
    const { ask, read } = start();
    expect(await read('rate_limit_keys')).toEqual(['rate_limit_keys 0']);
    for (let n = 0; n < 128; n++) ask(`user ${n}`);
    expect(await read('rate_limit_keys')).toEqual(['rate_limit_keys 128']);
    expect(await read('rate_limit_shard_keys_avg')).toEqual(['rate_limit_shard_keys_avg 2']);
    const [largest = ''] = await read('rate_limit_shard_keys_max');
    expect(Number(largest.split(' ')[1])).toBeGreaterThanOrEqual(2);
    expect(await read('rate_limit_shards_full')).toEqual(['rate_limit_shards_full 0']);
  });

  it('measures one header phase in 64 and every body phase, in cumulative buckets', async () => {
    const { recorders, read } = start();
    const [first, second] = recorders.map(({ timing }) => timing);
    if (!first || !second) throw new Error('no timing');
    const due = Array.from({ length: 3 * HEADERS_TIMED_EVERY }, () => first.isHeadersDue());
    expect(due.filter(Boolean)).toHaveLength(3);
    first.onHeaders(0.003);
    first.onHeaders(0.3);
    second.onHeaders(5000);
    second.onBody(1);
    const lines = (await read('phase_seconds')).filter((line) => line.includes('headers'));
    expect(lines).toContain('phase_seconds_bucket{phase="headers",le="0.000002"} 0');
    expect(lines).toContain('phase_seconds_bucket{phase="headers",le="0.000005"} 1');
    expect(lines).toContain('phase_seconds_bucket{phase="headers",le="0.001"} 2');
    expect(lines).toContain('phase_seconds_bucket{phase="headers",le="1"} 2');
    expect(lines).toContain('phase_seconds_bucket{phase="headers",le="+Inf"} 3');
    expect(lines).toContain('phase_seconds_count{phase="headers"} 3');
    expect(await read('phase_seconds_count{phase="body"}')).toEqual(['phase_seconds_count{phase="body"} 1']);
  });

  it('shows the state of the self-test, dropped findings and reloads', async () => {
    const { metrics, read, fail } = start();
    expect(await read('self_test{state="unknown"}')).toEqual(['self_test{state="unknown"} 1']);
    fail();
    metrics.onFindingsDropped('events', 7);
    metrics.onReload('failed');
    expect(await read('self_test')).toEqual([
      'self_test{state="ok"} 0',
      'self_test{state="unknown"} 0',
      'self_test{state="failing"} 1',
    ]);
    expect(await read('findings_dropped_total{from="events"}')).toEqual(['findings_dropped_total{from="events"} 7']);
    expect(await read('config_reloads_total{result="failed"}')).toEqual(['config_reloads_total{result="failed"} 1']);
  });

  it('is valid for Prometheus: each metric once, with help and type', async () => {
    const { metrics } = start();
    const lines = (await metrics.render()).split('\n').filter((line) => line !== '');
    const types = lines.filter((line) => line.startsWith('# TYPE ')).map((line) => line.split(' ')[2]);
    expect(new Set(types).size).toBe(types.length);
    for (const line of lines.filter((one) => !one.startsWith('#'))) {
      expect(line).toMatch(/^[a-z0-9_]+(?:\{[a-z_]+="[^"]*"(?:,[a-z_]+="[^"]*")*\})? (?:[0-9.e+-]+|[Nn]a[Nn]|\+Inf)$/);
    }
  });
});

it('shows no event loop metrics that need sampling', async () => {
  const names = (await start().metrics.render()).match(/(?<=^# TYPE )\S*eventloop\S*/gm);
  expect(names).toEqual(['flotilla_shield_nodejs_eventloop_lag_seconds']);
});

it('escapes label values', () => {
  const samples = [{ labels: { name: 'a"b\\c\nd' }, value: Number.POSITIVE_INFINITY }];
  expect(renderMetrics([{ name: 'm', help: 'h', type: 'gauge', samples }])).toBe(
    '# HELP m h\n# TYPE m gauge\nm{name="a\\"b\\\\c\\nd"} +Inf\n',
  );
});
