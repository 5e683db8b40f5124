import {
  TRAFFIC_TOP_DEFAULT,
  type TrafficBots,
  type TrafficDimension,
  type TrafficFilter,
  type TrafficTop,
  type trafficInsightRoutes,
} from '@flotilla/contract';
import type { TopOrder } from '@flotilla/event-store';
import type * as z from 'zod';
import type { RequestContext } from '../../../platform/http/context.ts';
import { toAgentKind, toOperationGroup, toSums } from './answers.ts';
import { COLUMN_OF, OPERATION_COLUMNS } from './dimensions.ts';
import { openLong, type Question } from './question.ts';
import type { EventSource } from './source.ts';

type TopQuery = z.output<NonNullable<(typeof trafficInsightRoutes)['top']['query']>>;
type Order = NonNullable<TopQuery['order']>;

const ORDERS: Readonly<Record<Order, TopOrder>> = {
  requests: 'requests',
  server_errors: 'serverErrors',
  client_errors: 'clientErrors',
  response_bytes: 'responseBytes',
  latency_max: 'latencyUsMax',
  risk_max: 'riskMax',
};

export async function readTop(
  ctx: RequestContext,
  source: EventSource,
  {
    query,
    by,
    order = 'requests',
    top = TRAFFIC_TOP_DEFAULT,
  }: {
    readonly query: TrafficFilter & { from?: string | undefined; to?: string | undefined };
    readonly by: TrafficDimension;
    readonly order?: Order | undefined;
    readonly top?: number | undefined;
  },
): Promise<TrafficTop> {
  const columns = by === 'operation' ? OPERATION_COLUMNS : [COLUMN_OF[by]];
  const question = await openLong(ctx, source, { query, columns });
  const largest = await question.largest(by, { order: ORDERS[order], limit: top });
  // In the same rows, so that the shares of the groups are right.
  const [total] = (await question.groups({ by: [], resolution: largest.resolution })).data;
  if (total === undefined) throw new Error('A query without columns has one group.');
  const [items = []] = await question.label([largest]);
  return {
    ...question.describe({ ...largest, ...total }),
    by,
    order,
    items,
    totals: toSums(total),
    truncated: largest.hasMore,
  };
}

/** The operations that scanners and bots call. */
export async function readBots(
  question: Question,
  {
    kind = ['scanner', 'bot'],
    top = TRAFFIC_TOP_DEFAULT,
  }: { readonly kind?: readonly string[] | undefined; readonly top?: number | undefined },
): Promise<TrafficBots> {
  const also = [{ column: 'agentKind', in: [...kind] }] as const;
  const [found, [total]] = await Promise.all([
    question.groups({ by: [...OPERATION_COLUMNS, 'agentKind'], also, limit: top }),
    question.groups({ by: [], also }).then(({ data }) => data),
  ]);
  const { events = 0, requests = 0 } = total ?? {};
  return {
    ...question.describe({ resolution: found.resolution, events, requests }),
    requests,
    items: found.data.map((group) => {
      const { operation_id, method, host, normalized_path, operation } = toOperationGroup(group);
      const agentKind = toAgentKind(group.values.at(-1) ?? '');
      return { operation_id, method, host, normalized_path, operation, agent_kind: agentKind, ...toSums(group) };
    }),
    truncated: found.hasMore,
  };
}
