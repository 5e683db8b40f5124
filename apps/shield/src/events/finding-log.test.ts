import type { UncountedFinding } from '@flotilla/decision';
import { createSilentLogger } from '@flotilla/kit';
import { describe, expect, it } from 'vitest';
import { FindingLog } from './finding-log.ts';
import { FindingRing } from './finding-ring.ts';
import { PerSecondQuota } from './per-second-quota.ts';

function finding(reason = 'apikey.missing', time = '2026-01-01T00:00:00.000Z'): UncountedFinding {
  return {
    time,
    request_id: '',
    node: '',
    host: 'a.example',
    method: 'GET',
    path: '/',
    policy: 'p',
    route: '',
    engine: 'api_key',
    reason,
    severity: 'high',
    verdict: 'blocked',
    status: 403,
    subject: '',
    source_ip: '',
    digest: '',
    detail: '',
  };
}

describe('the ring', () => {
  it('returns consecutive pages without gap or overlap', () => {
    const ring = new FindingRing('e', 10);
    for (let i = 0; i < 7; i++) ring.add(finding());
    const seen: number[] = [];
    for (let after = 0; ; ) {
      const page = ring.page(after, 3);
      seen.push(...page.events.map(({ seq }) => seq));
      if (page.events.length === 0) break;
      after = page.next;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(ring.page(7, 3)).toEqual({ epoch: 'e', next: 7, dropped: 0, events: [] });
  });

  it('counts evicted and never published findings once', () => {
    const ring = new FindingRing('e', 3);
    for (let i = 0; i < 4; i++) ring.add(finding());
    ring.skip(5);
    ring.add(finding());
    const all = ring.page(0, 100);
    expect([all.events.map(({ seq }) => seq), all.next, all.dropped]).toEqual([[3, 4, 10], 10, 7]);
    expect(ring.page(4, 100)).toMatchObject({ next: 10, dropped: 5 });
    ring.skip(2);
    expect(ring.page(10, 100)).toMatchObject({ next: 12, dropped: 2, events: [] });
    expect(ring.page(12, 100)).toMatchObject({ next: 12, dropped: 0 });
  });

  it('loses nothing for any way of reading it', () => {
    const ring = new FindingRing('e', 5);
    let added = 0;
    let after = 0;
    let published = 0;
    for (let step = 0; step < 200; step++) {
      if (step % 7 === 3) {
        ring.skip(step % 4);
        added += step % 4;
      } else {
        ring.add(finding());
        added += 1;
      }
      if (step % 11 === 0) {
        const page = ring.page(after, 1 + (step % 3));
        published += page.events.length + page.dropped;
        expect(page.next).toBe(after + page.events.length + page.dropped);
        after = page.next;
      }
    }
    for (let page = ring.page(after, 2); page.next !== after; page = ring.page(after, 2)) {
      published += page.events.length + page.dropped;
      after = page.next;
    }
    expect(published).toBe(added);
  });

  it('keeps nothing if its size is zero', () => {
    const ring = new FindingRing('e', 0);
    ring.add(finding());
    expect(ring.page(0, 10)).toEqual({ epoch: 'e', next: 1, dropped: 1, events: [] });
  });
});

describe('a quota', () => {
  it('gives each kind its share, so that a flood of one hides no other', () => {
    const quota = new PerSecondQuota(2);
    const taken = (kind: string, ms: number) => quota.take(kind, ms);
    expect([taken('a', 0), taken('a', 1), taken('a', 2), taken('b', 3), taken('a', 1000)]).toEqual([
      true,
      true,
      false,
      true,
      true,
    ]);
  });

  it('restarts when the clock goes back', () => {
    const quota = new PerSecondQuota(1);
    expect([quota.take('a', 60_000), quota.take('a', 60_001), quota.take('a', 5000)]).toEqual([true, false, true]);
  });
});

describe('the log', () => {
  it('has one line per finding, limited per second and reason; the ring has all of them', () => {
    const lines: unknown[] = [];
    const dropped: unknown[] = [];
    const logger = createSilentLogger();
    logger.info = (line: unknown) => lines.push(line);
    const log = new FindingLog({
      epoch: 'e',
      keep: 100,
      logger,
      onDropped: (from, count) => dropped.push([from, count]),
    });
    for (let i = 0; i < 30; i++) log.add(finding());
    log.add(finding('apikey.scope'));
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toMatchObject({ event: 'finding', finding: { seq: 31, reason: 'apikey.scope' } });
    expect(dropped).toHaveLength(10);
    expect(log.page(0, 100).events).toHaveLength(31);
    log.drop(7);
    expect(dropped.at(-1)).toEqual(['events', 7]);
    expect(log.page(31, 10).dropped).toBe(7);
  });
});
