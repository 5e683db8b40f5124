import { fail, metricsRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import { parseRange, parseSpan } from '../../../platform/http/time-range.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { findProjectOfClient } from '../clients/index.ts';
import { findPolicyInBundle, listPolicyNodes } from './policy-nodes.ts';
import { readHostSeries, readShieldCounters, readShieldSeries } from './series-views.ts';

export function createMetricsRoutes(keyring: Keyring): Route[] {
  return [
    implement(metricsRoutes.clientSeries, async (ctx, { params, query }) => {
      const { client_id: clientId } = params;
      if ((await findProjectOfClient(ctx.db, clientId)) !== ctx.project.id)
        throw fail('record.not_found', { kind: 'client', name: clientId });
      return { body: await readHostSeries(ctx.db, clientId, parseRange(query, ctx.now)) };
    }),
    implement(metricsRoutes.shieldSeries, async (ctx, { query }) => ({
      body: await readShieldSeries(ctx.db, toFilter(ctx.project.id, query), {
        range: parseRange(query, ctx.now),
        now: ctx.now,
      }),
    })),
    implement(metricsRoutes.shieldCounters, async (ctx, { query }) => ({
      body: await readShieldCounters(ctx.db, toFilter(ctx.project.id, query), parseSpan(query, ctx.now)),
    })),
    implement(metricsRoutes.policyNodes, async (ctx, { params, query }) => ({
      body: await listPolicyNodes({ db: ctx.db, keyring }, { projectId: ctx.project.id, name: params.name }, query),
    })),
    implement(metricsRoutes.policyInBundle, async (ctx, { params: { name, digest }, query }) => ({
      body: await findPolicyInBundle(
        { db: ctx.db, keyring },
        { projectId: ctx.project.id, name },
        { digest, serviceId: query.service_id },
      ),
    })),
  ];
}

interface CountQuery {
  readonly policy?: string | undefined;
  readonly service_id?: string | undefined;
  readonly client_id?: string | undefined;
}

function toFilter(projectId: string, { policy, service_id: serviceId, client_id: clientId }: CountQuery) {
  return { projectId, policy, serviceId, clientId };
}
