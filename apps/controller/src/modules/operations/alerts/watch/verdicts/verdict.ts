import type { AlertTrafficCondition } from '@flotilla/contract';
import { countLatencies, latencyOfWindow, type WindowSums } from '../../../../traffic/public.ts';

/**
 * met       the condition holds, and `summary` says what is wrong
 * unknown   the reported part cannot say so: an alert keeps its state
 * not_met   the condition does not hold, whatever missing nodes did
 */
export type Verdict =
  | { readonly is: 'met'; readonly summary: string }
  | { readonly is: 'unknown' }
  | { readonly is: 'not_met' };

const UNKNOWN: Verdict = { is: 'unknown' };
const NOT_MET: Verdict = { is: 'not_met' };

/**
 * Compares the traffic of a service in a window. Nodes that are missing may have had any traffic: they cannot refute what the others
 * show, so a condition is met by what is known, and ended only by nodes that all reported.
 */
export function judge(condition: AlertTrafficCondition, sums: WindowSums): Verdict {
  if (sums.reporting === 0) return UNKNOWN;
  const notMet = sums.missing > 0 ? UNKNOWN : NOT_MET;
  switch (condition.kind) {
    case 'error_share': {
      const percent = (sums.errors / sums.requests) * 100;
      if (sums.requests < condition.min_requests || percent <= condition.above_percent) return notMet;
      const what = `${toText(percent)} % of ${toText(sums.requests)} responses in ${toSpan(condition)} are 5xx`;
      return met(`${what}; the limit is ${toText(condition.above_percent)} %.`, sums);
    }
    case 'latency': {
      const ms = latencyOfWindow(sums, condition.quantile);
      if (ms === null || countLatencies(sums) < condition.min_requests || ms <= condition.above_ms) return notMet;
      const what = `The ${condition.quantile} of the latency in ${toSpan(condition)} is ${toText(ms)} ms`;
      return met(`${what}; the limit is ${toText(condition.above_ms)} ms.`, sums);
    }
    case 'request_rate':
      return judgeRate(condition, sums, notMet);
  }
}

/** With missing nodes, the rate is a lower bound. */
function judgeRate(
  condition: Extract<AlertTrafficCondition, { kind: 'request_rate' }>,
  sums: WindowSums,
  notMet: Verdict,
): Verdict {
  const { per_s: limit } = condition;
  const rate = sums.requestsPerS;
  const summary = `${toText(rate)} requests per second in ${toSpan(condition)}; the limit is ${toText(limit)}.`;
  if (condition.is === 'above') return rate > limit ? met(summary, sums) : notMet;
  if (rate >= limit) return NOT_MET;
  return sums.missing > 0 ? UNKNOWN : met(summary, sums);
}

function met(summary: string, { missing }: WindowSums): Verdict {
  if (missing === 0) return { is: 'met', summary };
  return { is: 'met', summary: `${summary} ${missing} ${missing === 1 ? 'node is' : 'nodes are'} not reporting.` };
}

/** Three significant digits, but never fewer than the whole number. */
function toText(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

function toSpan({ window_s }: AlertTrafficCondition): string {
  const minutes = window_s / 60;
  return minutes === 1 ? 'the last minute' : `the last ${minutes} minutes`;
}
