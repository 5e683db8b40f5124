import type { ReplayReport } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { changedGroups, findGaps, headline } from './replay-words.ts';

const NONE = { groups: [], others: { requests: 0, flips: 0 } };
const outcomes = { allowed: 0, blocked: 0, detected: 0 };
const flips = { allow_to_block: 0, block_to_allow: 0, other_reason: 0, detection_changed: 0 };

function report(totals: Partial<ReplayReport['totals']>, missing: ReplayReport['missing'] = []): ReplayReport {
  return {
    candidate: { digest: 'x' },
    baseline: { kind: 'policy', digest: 'y' },
    totals: {
      requests: 0,
      bad_records: 0,
      out_of_order: 0,
      without_time: 0,
      without_status: 0,
      baseline: outcomes,
      candidate: outcomes,
      flips: 0,
      ...flips,
      undetermined: 0,
      ...totals,
    },
    from: null,
    to: null,
    by_policy: NONE,
    by_route: NONE,
    by_engine: NONE,
    by_reason: NONE,
    by_client: NONE,
    by_host: NONE,
    samples: [],
    missing,
    bad_records: [],
  };
}

it('the headline names the number of changed verdicts and the baseline', () => {
  expect(headline(report({ requests: 1200, flips: 3 }))).toBe(
    '3 of 1,200 requests would get a different verdict from the saved policy.',
  );
  expect(headline({ ...report({ requests: 1 }), baseline: { kind: 'recorded', digest: null } })).toBe(
    'None of 1 request would get a different verdict from the original answers.',
  );
  expect(headline(report({ bad_records: 1 }))).toMatch(/^No request could be parsed\. .* Envoy access log/);
  expect(headline(report({}))).toBe('The input contains no requests.');
});

it('all gaps of the records are listed', () => {
  expect(findGaps(report({}))).toEqual([]);
  expect(
    findGaps(
      report({ undetermined: 2, without_status: 1, without_time: 3, out_of_order: 1, bad_records: 4 }, [
        { what: 'header x-api-key', engine: 'api_key', requests: 2 },
      ]),
    ),
  ).toEqual([
    'api_key needs header x-api-key, which 2 records do not contain.',
    '2 verdicts depend on it: counted as allowed by that engine.',
    '1 record without a status: counted as originally allowed.',
    '3 records without a time: rate limits cannot be evaluated for them.',
    '1 record too far out of order to be sorted.',
    '4 lines could not be parsed.',
  ]);
  expect(findGaps({ ...report({ undetermined: 1 }), baseline: { kind: 'recorded', digest: null } })).toEqual([
    '1 verdict depends on it: counted as allowed by that engine, or as still blocked if the record says so.',
  ]);
});

it('only groups with changes are listed', () => {
  const group = (name: string, changed: number) => ({ name, requests: 9, ...flips, block_to_allow: changed });
  expect(changedGroups([group('a', 0), group('b', 2)]).map(({ name }) => name)).toEqual(['b']);
});
