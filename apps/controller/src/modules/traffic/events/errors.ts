import { TRAFFIC_TOP_DEFAULT, type TrafficErrors } from '@flotilla/contract';
import type { Totals } from '@flotilla/event-store';
import { toOperationGroup, toPercentage, toTime } from './answers.ts';
import { OPERATION_COLUMNS } from './dimensions.ts';
import type { Question } from './question.ts';
import { chooseGranularity, type Granularity } from './stats.ts';

const errorsOf = ({ clientErrors, serverErrors }: Totals) => clientErrors + serverErrors;

/** The operations with the most responses with errors. */
export async function readErrors(
  question: Question,
  {
    top = TRAFFIC_TOP_DEFAULT,
    minPercentage = 0,
    granularity = chooseGranularity(question.window),
  }: {
    readonly top?: number | undefined;
    readonly minPercentage?: number | undefined;
    readonly granularity?: Granularity | undefined;
  },
): Promise<TrafficErrors> {
  const [series, operations] = await Promise.all([
    question.ask((store, project) => store.series(project, { ...question.range(), step: granularity })),
    question.groups({
      by: OPERATION_COLUMNS,
      order: 'errors',
      errorShareMin: minPercentage / 100,
      limit: top,
      resolution: question.isInRollups() ? granularity : 'raw',
    }),
  ]);
  const { totals } = series;
  const failing = operations.data.filter((group) => errorsOf(group) > 0);
  return {
    ...question.describe({ ...series, ...totals }),
    summary: {
      requests: totals.requests,
      client_errors: totals.clientErrors,
      server_errors: totals.serverErrors,
      error_percentage: toPercentage(errorsOf(totals), totals.requests),
    },
    granularity,
    points: series.data.map(({ timeMs, requests, clientErrors, serverErrors }) => ({
      at: toTime(timeMs),
      requests,
      client_errors: clientErrors,
      server_errors: serverErrors,
    })),
    items: failing.map((group) => ({
      ...toOperationGroup(group),
      error_percentage: toPercentage(errorsOf(group), group.requests),
    })),
    truncated: operations.hasMore && failing.length === operations.data.length,
  };
}
