import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CUT_BODY, mergeReadings, NO_BODY, NO_HEADERS, SelfTest, type SelfTestReading } from './self-test.ts';

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

  it('forgets what clients may have done five minutes after the last of it, and nothing that only a wrong wiring does', () => {
    const { test, times, changes } = start();
    times(10, () => test.onBodyAbandoned());
    vi.advanceTimersByTime(299_000);
    test.onBodyAbandoned();
    vi.advanceTimersByTime(299_000);
    expect(test.reading.state).toBe('failing');
    vi.advanceTimersByTime(1000);
    expect(changes).toEqual(['failing', 'unknown']);
    times(10, () => test.onBodyAbandoned());
    expect(test.reading.state).toBe('failing');
    vi.advanceTimersByTime(300_000);
    times(3, () => test.onBodyMissing());
    vi.advanceTimersByTime(3_000_000);
    expect(test.reading).toEqual({ state: 'failing', problems: [NO_BODY] });
  });

  it('knows nothing until a body was asked for and came, or did not', () => {
    const { test, changes } = start();
    test.onBodyAsked();
    expect(test.reading).toEqual({ state: 'unknown', problems: [] });
    test.onBodyArrived(true);
    expect(test.reading).toEqual({ state: 'ok', problems: [] });
    expect(changes).toEqual(['ok']);
  });

  it('fails when other messages come in place of bodies, three times in a row, and says what to set', () => {
    const { test, times } = start();
    times(2, () => test.onBodyMissing());
    expect(test.reading.state).toBe('unknown');
    test.onBodyArrived(true);
    times(2, () => test.onBodyMissing());
    expect(test.reading.state).toBe('ok');
    test.onBodyMissing();
    expect(test.reading).toEqual({ state: 'failing', problems: [NO_BODY] });
  });

  it('takes one body for a repaired listener', () => {
    const { test, times, changes } = start();
    times(3, () => test.onBodyMissing());
    test.onBodyArrived(true);
    expect(test.reading).toEqual({ state: 'ok', problems: [] });
    expect(changes).toEqual(['failing', 'ok']);
  });

  it('fails when every exchange ends while the body is awaited', () => {
    const { test, times } = start();
    times(9, () => test.onBodyAbandoned());
    expect(test.reading.state).toBe('unknown');
    test.onBodyAbandoned();
    expect(test.reading).toEqual({ state: 'failing', problems: [NO_BODY] });
  });

  it('is not talked into failing by a client that breaks off its uploads while others finish theirs', () => {
    const { test, times, changes } = start();
    test.onBodyArrived(true);
    for (let i = 0; i < 50; i++) {
      times(150, () => test.onBodyAbandoned());
      test.onBodyArrived(true);
    }
    expect(changes).toEqual(['ok']);
  });

  it('notices a listener that was broken later', () => {
    const { test, times } = start();
    test.onBodyArrived(true);
    times(200, () => test.onBodyAbandoned());
    expect(test.reading.state).toBe('failing');
  });

  it('fails when Envoy cuts bodies below the cap, and not when bodies are longer than the cap', () => {
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

it('the readings of threads are one: failing wins, then ok', () => {
  const ok: SelfTestReading = { state: 'ok', problems: [] };
  const unknown: SelfTestReading = { state: 'unknown', problems: [] };
  const failing: SelfTestReading = { state: 'failing', problems: [NO_BODY] };
  expect(mergeReadings([unknown, ok])).toEqual(ok);
  expect(mergeReadings([unknown])).toEqual(unknown);
  expect(mergeReadings([ok, failing, failing])).toEqual(failing);
  expect(mergeReadings([])).toEqual(unknown);
});
