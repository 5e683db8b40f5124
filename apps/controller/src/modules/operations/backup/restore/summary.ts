import { RESTORE_OUTCOMES, RESTORE_RESULTS_MAX, type RestoreResult, type RestoreSummary } from '@flotilla/contract';

/** Counts all results and lists the first of them, ordered by outcome: refusals, then changes. */
export function summarize(results: readonly RestoreResult[]): RestoreSummary {
  const byOutcome = Map.groupBy(results, ({ outcome }) => outcome);
  const countOf = (outcome: RestoreResult['outcome']) => byOutcome.get(outcome)?.length ?? 0;
  return {
    counts: {
      refused: countOf('refused'),
      created: countOf('created'),
      changed: countOf('changed'),
      skipped: countOf('skipped'),
      unchanged: countOf('unchanged'),
    },
    results: RESTORE_OUTCOMES.flatMap((outcome) => byOutcome.get(outcome) ?? []).slice(0, RESTORE_RESULTS_MAX),
  };
}
