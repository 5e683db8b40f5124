import type { WireError } from '@flotilla/grpc-wire';
import { FakeClock } from '@flotilla/kit';
import { describe, expect, it } from 'vitest';
import { SelfTest } from '../self-test/self-test.ts';
import { createTrafficCells, TrafficRecorder } from './traffic-recorder.ts';

describe('TrafficRecorder', () => {
  it('counts in the row of its thread, and readers sum the rows', () => {
    const cells = createTrafficCells(2);
    const entered = createTrafficCells(0, cells.memory);
    const recorders = [cells, entered].map(
      (of, thread) =>
        new TrafficRecorder({
          cells: of,
          thread,
          selfTest: new SelfTest(),
          onFinding: () => undefined,
          onEngineError: () => undefined,
          onExchangeError: () => undefined,
        }),
    );
    for (const recorder of recorders) {
      recorder.onDecided(false);
      recorder.onDecided(true);
      recorder.onBodyInspected(100);
    }
    recorders[1]?.onDecided(true);
    expect([cells.sum('allowed'), cells.sum('blocked'), cells.sum('bodies'), cells.sum('body_bytes')]).toEqual([
      2, 3, 2, 200,
    ]);
    expect(Array.from(cells.rowOf(0)).filter((n) => n > 0)).toEqual([1, 1, 1, 100]);
  });

  it('counts every error and reports a limited number per second', () => {
    const cells = createTrafficCells(1);
    const clock = new FakeClock();
    const reported: string[] = [];
    const recorder = new TrafficRecorder({
      cells,
      thread: 0,
      clock,
      selfTest: new SelfTest(),
      onFinding: () => undefined,
      onEngineError: (engine) => reported.push(engine),
      onExchangeError: ({ scope }) => reported.push(scope),
    });
    const error: WireError = { scope: 'handler', code: 13, reason: 'threw', cause: new Error('x') };
    for (let n = 0; n < 1000; n++) {
      recorder.onEngineError('graphql', new Error('x'));
      recorder.onExchangeError(error);
    }
    expect([cells.sum('broken:graphql'), cells.sum('exchange_errors')]).toEqual([1000, 1000]);
    const first = reported.length;
    expect(first).toBeLessThan(100);
    for (let n = 0; n < 1000; n++) recorder.onUnbuiltDomain(new Error('x'));
    expect(reported.filter((name) => name === 'domain').length).toBeLessThan(100);
    expect(reported).toContain('domain');
    expect(cells.sum('broken:graphql')).toBe(1000);
    reported.length = first;
    clock.advance(1000);
    recorder.onEngineError('graphql', new Error('x'));
    expect(reported.length).toBe(first + 1);
  });
});
