import { setImmediate } from 'node:timers/promises';
import { buildRuntime, type PolicyRuntime } from '@flotilla/decision';
import { FakeClock } from '@flotilla/kit';
import { describe, expect, it } from 'vitest';
import { SelfTest } from '../self-test/self-test.ts';
import { ServingThread } from './serving-thread.ts';
import { createTrafficCells, TrafficRecorder } from './traffic-recorder.ts';

const EMPTY = buildRuntime({ digest: '', policyNames: [], domains: [] }, { nowMs: 0 });

function createServing() {
  const reported: string[] = [];
  const traffic = new TrafficRecorder({
    cells: createTrafficCells(1),
    thread: 0,
    clock: new FakeClock(),
    selfTest: new SelfTest(),
    onFinding: () => undefined,
    onEngineError: (engine) => reported.push(engine),
    onExchangeError: () => undefined,
  });
  const listen = { kind: 'unix', path: '/nonexistent/s' } as const;
  return { reported, serving: new ServingThread({ listen, trustedHops: 0, traffic }) };
}

/** A runtime whose awaited domains take this long each. */
function awaiting(count: number, make: (n: number) => void): PolicyRuntime {
  let made = 0;
  const makeAwaited = () => {
    if (made === count) return false;
    made += 1;
    make(made);
    return true;
  };
  return { ...EMPTY, makeAwaited };
}

describe('ServingThread', () => {
  it('creates all awaited domains after the switch, even if one fails, and reports it', async () => {
    const { reported, serving } = createServing();
    const made: number[] = [];
    serving.hold(
      awaiting(100, (n) => {
        if (n === 3) throw new Error('broken');
        made.push(n);
      }),
    );
    while (made.length < 99) await setImmediate();
    expect(reported).toEqual(['domain']);
  });

  it('lets requests run between slow domains', async () => {
    const { serving } = createServing();
    let inTurn = 0;
    let most = 0;
    let made = 0;
    const spin = () => {
      for (const until = performance.now() + 1; performance.now() < until; );
      inTurn += 1;
      made += 1;
      most = Math.max(most, inTurn);
    };
    serving.hold(awaiting(20, spin));
    while (made < 20) {
      await setImmediate();
      inTurn = 0;
    }
    expect(most).toBe(1);
  });

  it('skips the domains of a replaced bundle', async () => {
    const { serving } = createServing();
    let made = 0;
    serving.hold(
      awaiting(1000, () => {
        made += 1;
        if (made === 5) serving.hold(EMPTY);
      }),
    );
    while (made < 5) await setImmediate();
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    expect(made).toBe(5);
  });
});
