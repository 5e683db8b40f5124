import {
  BODY_REASONS,
  ENGINE_ERROR_REASON,
  ENGINE_NAMES,
  ENGINE_REASONS,
  ENGINE_TIMEOUT_REASON,
} from '@flotilla/policy';
import { describe, expect, it } from 'vitest';
import { CounterBook, type FindingVerdict, ThreadCounts } from './policy-counters.ts';

const FINDINGS = [
  ...ENGINE_NAMES.flatMap((engine) =>
    [...ENGINE_REASONS[engine], ENGINE_ERROR_REASON, ENGINE_TIMEOUT_REASON].map((reason) => [engine, reason] as const),
  ),
  ...BODY_REASONS.map((reason) => ['body', reason] as const),
];

describe('CounterBook', () => {
  it('has a separate cell for every verdict of every reason of every engine', () => {
    const book = new CounterBook();
    const counts = book.countsOf('p');
    const verdicts: readonly FindingVerdict[] = ['blocked', 'detected', 'error'];
    let n = 0;
    for (const [engine, reason] of FINDINGS) {
      for (const verdict of verdicts) {
        n += 1;
        for (let k = 0; k < n; k++) counts.countFinding(engine, reason, verdict);
      }
    }
    const totals = book.read().counters.map(({ total }) => total);
    expect(totals).toEqual(Array.from({ length: FINDINGS.length * 3 }, (_, k) => k + 1));
  });

  it('sums what threads have counted, each in its own memory', () => {
    const book = new CounterBook({ threads: 3 });
    const places = ['a', 'b'].map((name) => book.placeOf(name));
    for (const [thread, times] of [5, 7, 11].entries()) {
      const counts = new ThreadCounts(book.memoryOf(thread));
      for (let n = 0; n < times; n++) counts.at(places[1] ?? 0).countAllowed();
    }
    book.countsOf('b').countAllowed();
    expect(book.read().counters).toEqual([{ policy: 'b', engine: '', reason: '', verdict: 'allowed', total: 24 }]);
  });
});
