import { compileEngine, createArenaBuffer, LimiterArena } from '@flotilla/engines';
import { FakeClock } from '@flotilla/kit';
import { loadPolicyFiles, writeEdges } from '@flotilla/policy';
import { describe, expect, it } from 'vitest';
import { Decision } from './decision.ts';
import { TrialView } from './explain/trial-view.ts';
import { packPolicies } from './packed-policies.ts';
import type { PolicyRuntime } from './runtime.ts';
import { buildRuntime, RuntimeBuilder } from './runtime-builder.ts';

const LIMIT = { requests_per_second: 12, burst: 12 };

function load(edges: number | undefined, limit: object = { ...LIMIT, share: 'fleet' }) {
  const spec = { domains: [{ hosts: ['api.example.com'], policy: { engines: { rate_limit: limit } } }] };
  const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'shop' }, spec };
  const loaded = loadPolicyFiles([
    { path: 'shop.json', content: JSON.stringify(document) },
    ...(edges === undefined ? [] : [writeEdges(new Map([['shop', edges]]))]),
  ]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return loaded.value;
}

/** A filter with a bundle that says how many proxies share it. */
class Filter {
  readonly clock = new FakeClock();
  readonly arena = new LimiterArena(createArenaBuffer(2 ** 24));
  readonly compile = (block: Parameters<typeof compileEngine>[0], id?: number) =>
    compileEngine(block, this.clock, { arena: this.arena, ...(id !== undefined && { id }) });
  runtime: PolicyRuntime | undefined;

  hold(edges: number | undefined, limit?: object): void {
    const { runtime: previous, compile } = this;
    this.runtime = buildRuntime(load(edges, limit), { nowMs: 0, compile, ...(previous && { previous }) });
  }

  /** Returns how many requests of one client pass at once. */
  drain(runtime = this.runtime): number {
    if (runtime === undefined) return 0;
    const listener = { onFinding: () => undefined, onEngineError: () => undefined };
    const view = new TrialView({ method: 'GET', url: 'https://api.example.com/', source_ip: '192.0.2.1' });
    let allowed = 0;
    while (new Decision(runtime, listener).decideHeaders(view, false) === 'allow') allowed++;
    return allowed;
  }
}

describe('a limit that the fleet shares', () => {
  it.each([
    [1, 12],
    [3, 4],
    [12, 1],
    [1000, 1],
  ])('is divided evenly among %d proxies, but allows at least one request', (edges, burst) => {
    const filter = new Filter();
    filter.hold(edges);
    expect(filter.drain()).toBe(burst);
    filter.clock.advance(1000);
    expect(filter.drain()).toBe(edges === 1000 ? 0 : 12 / edges);
  });

  it('applies in full if the number of proxies is unknown, and if it is not shared', () => {
    for (const [edges, limit] of [
      [undefined, undefined],
      [3, LIMIT],
      [3, { ...LIMIT, share: 'proxy' }],
    ] as const) {
      const filter = new Filter();
      filter.hold(edges, limit);
      expect(filter.drain()).toBe(12);
    }
  });

  it('keeps its buckets when proxies come or go', () => {
    const filter = new Filter();
    filter.hold(2);
    expect(filter.drain()).toBe(6);
    filter.hold(4);
    expect(filter.drain()).toBe(0);
    filter.clock.advance(1000);
    expect(filter.drain()).toBe(3);
    filter.hold(1);
    expect(filter.drain()).toBe(0);
    filter.clock.advance(1000);
    expect(filter.drain()).toBe(12);
    filter.hold(1);
    expect(filter.drain()).toBe(0);
  });

  it('is shared by all threads, also when its part changes', () => {
    const filter = new Filter();
    filter.hold(2);
    const { runtime: before, compile } = filter;
    filter.hold(4);
    if (filter.runtime === undefined || before === undefined) throw new Error('nothing holds');
    const loaded = load(4);
    const head = { digest: loaded.digest, policyNames: loaded.policyNames, domainCount: 1 };
    const limiterId = [...filter.runtime.byLimiterId.keys()][0];
    expect([...before.byLimiterId.keys()]).toEqual([limiterId]);
    const other = new RuntimeBuilder(head, { nowMs: 0, compile, previous: before });
    for (const piece of packPolicies(loaded.domains)) other.add(piece, [limiterId]);
    const thread = other.finish();
    expect(thread.limiters.map((engine) => engine.limiter?.id)).toEqual([limiterId]);
    expect(filter.drain(thread)).toBe(3);
    expect(filter.drain()).toBe(0);
  });
});
