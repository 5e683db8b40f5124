import { fail, trafficRoutes } from '@flotilla/contract';
import { permittedRows, readerOf } from '../../../platform/auth/index.ts';
import type { RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { parseSpan } from '../../../platform/http/time-range.ts';
import { listEndpointProblems } from './endpoint-views.ts';
import type { TrafficFilter } from './node-blocks-store.ts';
import { readTrafficSeries } from './series-views.ts';
import { readTrafficSummary } from './summary-views.ts';

/** Read models for every role. A member of a restricted project sees the services that it may see, with all of their nodes. */
export function createTrafficRoutes(): Route[] {
  const wholeProject = { wholeProject: true } as const;
  return [
    implement(
      trafficRoutes.series,
      async (ctx, { query }) => {
        const { scope = 'listener', name, metrics, step_s: stepS } = query;
        if (scope === 'server' && name !== undefined)
          throw fail('request.invalid', { reason: 'the scope server has no names' });
        const wish = { ...parseSpan(query, ctx.now), stepS, scope, name, metrics };
        const body = await readTrafficSeries(ctx.projectDb(), toFilter(ctx, query), { wish, now: ctx.now });
        return { body };
      },
      wholeProject,
    ),
    implement(
      trafficRoutes.summary,
      async (ctx, { query }) => ({
        body: await readTrafficSummary(ctx.projectDb(), toFilter(ctx, query), {
          scopes: query.scope ?? [],
          now: ctx.now,
        }),
      }),
      wholeProject,
    ),
    implement(
      trafficRoutes.endpoints,
      async (ctx, { query }) => ({ body: await listEndpointProblems(ctx.projectDb(), toFilter(ctx, {}), query) }),
      wholeProject,
    ),
  ];
}

function toFilter(
  ctx: RequestContext,
  query: { readonly service_id?: readonly string[] | undefined; readonly client_id?: string | undefined },
): TrafficFilter {
  const reader = readerOf(ctx);
  return {
    projectId: ctx.project.id,
    seen: (id) => permittedRows(reader, 'service', id),
    serviceIds: query.service_id,
    clientId: query.client_id,
  };
}
