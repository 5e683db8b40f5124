import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  CUT_BODY,
  mergeReadings,
  NO_BODY,
  NO_BODY_PERHAPS,
  NO_HEADERS,
  SelfTest,
  type SelfTestResult,
} from './self-test.ts';

function start() {
  const changes: string[] = [];
  const test = new SelfTest(({ state }) => changes.push(state));
  const times = (count: number, signal: () => void) => {
    for (let i = 0; i < count; i++) signal();
  };
  return { test, changes, times };
}

describe('the self-test', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('forgets what clients may have caused after five minutes, but not what only a wrong configuration causes', () => {
    const { test, times } = start();
    times(10, () => test.onBodyAbandoned());
    vi.advanceTimersByTime(299_000);
    test.onBodyAbandoned();
    vi.advanceTimersByTime(299_000);
    expect(test.reading.problems).toEqual([NO_BODY_PERHAPS]);
    vi.advanceTimersByTime(1000);
    expect(test.reading.problems).toEqual([]);
    times(10, () => test.onBodyAbandoned());
    expect(test.reading.problems).toEqual([NO_BODY_PERHAPS]);
    vi.advanceTimersByTime(300_000);
    times(3, () => test.onBodyMissing());
    vi.advanceTimersByTime(3_000_000);
    expect(test.reading).toEqual({ state: 'failing', problems: [NO_BODY] });
  });

  it('is unknown until a body was requested and arrived or did not', () => {
    const { test, changes } = start();
    test.onBodyAsked();
    expect(test.reading).toEqual({ state: 'unknown', problems: [] });
    test.onBodyArrived(true);
    expect(test.reading).toEqual({ state: 'ok', problems: [] });
    expect(changes).toEqual(['ok']);
  });

  it('fails when other messages come instead of bodies, three times in a row, and says what to set', () => {
    const { test, times } = start();
    times(2, () => test.onBodyMissing());
    expect(test.reading.state).toBe('unknown');
    test.onBodyArrived(true);
    times(2, () => test.onBodyMissing());
    expect(test.reading.state).toBe('ok');
    test.onBodyMissing();
    expect(test.reading).toEqual({ state: 'failing', problems: [NO_BODY] });
  });

  it('recovers with one body', () => {
    const { test, times, changes } = start();
    times(3, () => test.onBodyMissing());
    test.onBodyArrived(true);
    expect(test.reading).toEqual({ state: 'ok', problems: [] });
    expect(changes).toEqual(['failing', 'ok']);
  });

  it('fails when Envoy resets exchanges with an awaited body, ten times in a row', () => {
    const { test, times } = start();
    times(9, () => test.onBodyIgnored());
    test.onBodyArrived(true);
    times(9, () => test.onBodyIgnored());
    expect(test.reading.state).toBe('ok');
    test.onBodyIgnored();
    expect(test.reading).toEqual({ state: 'failing', problems: [NO_BODY] });
    test.onBodyArrived(true);
    expect(test.reading).toEqual({ state: 'ok', problems: [] });
  });

  it('never fails because exchanges end in other ways, and reports what they may mean', () => {
    const { test, times, changes } = start();
    times(100_000, () => test.onBodyAbandoned());
    expect(test.reading).toEqual({ state: 'unknown', problems: [NO_BODY_PERHAPS] });
    test.onBodyArrived(true);
    times(199, () => test.onBodyAbandoned());
    expect(test.reading).toEqual({ state: 'ok', problems: [] });
    times(100_000, () => test.onBodyAbandoned());
    expect(test.reading).toEqual({ state: 'unknown', problems: [NO_BODY_PERHAPS] });
    test.onBodyArrived(true);
    expect(changes).toEqual(['unknown', 'ok', 'unknown', 'ok']);
  });

  it('fails when Envoy truncates bodies below the limit, but not when bodies exceed the limit', () => {
    const { test, times } = start();
    times(20, () => {
      test.onBodyArrived(false);
      test.onBodyCut(false);
    });
    expect(test.reading.state).toBe('ok');
    times(3, () => {
      test.onBodyArrived(false);
      test.onBodyCut(true);
    });
    expect(test.reading).toEqual({ state: 'failing', problems: [CUT_BODY] });
    test.onBodyArrived(true);
    expect(test.reading.state).toBe('ok');
  });

  it('fails when exchanges do not begin with headers', () => {
    const { test, times } = start();
    times(3, () => test.onHeadersMissing());
    expect(test.reading).toEqual({ state: 'failing', problems: [NO_HEADERS] });
    test.onHeadersArrived();
    expect(test.reading.state).toBe('unknown');
  });
});

it('the results of threads are merged: failing wins, then a suspicion, then ok', () => {
  const ok: SelfTestResult = { state: 'ok', problems: [] };
  const unknown: SelfTestResult = { state: 'unknown', problems: [] };
  const suspicious: SelfTestResult = { state: 'unknown', problems: [NO_BODY_PERHAPS] };
  const failing: SelfTestResult = { state: 'failing', problems: [NO_BODY] };
  expect(mergeReadings([unknown, ok])).toEqual(ok);
  expect(mergeReadings([unknown])).toEqual(unknown);
  expect(mergeReadings([ok, suspicious, suspicious])).toEqual(suspicious);
  expect(mergeReadings([ok, failing, suspicious, failing])).toEqual(failing);
  expect(mergeReadings([])).toEqual(unknown);
});
