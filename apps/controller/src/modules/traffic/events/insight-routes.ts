import { type TrafficFilter, trafficInsightRoutes } from '@flotilla/contract';
import { readerOf } from '../../../platform/auth/index.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { listBacklogs } from './backlog-store.ts';
import { readComparison } from './comparison.ts';
import { readConsumer, readConsumers } from './consumers.ts';
import { OPERATION_COLUMNS } from './dimensions.ts';
import { readErrors } from './errors.ts';
import { listGaps } from './gaps-store.ts';
import { readGeo } from './geo.ts';
import { readLatencyMap } from './latency-map.ts';
import { readOverview } from './overview.ts';
import { readPosture } from './posture.ts';
import { openLong, Question, toAsked } from './question.ts';
import { readBots, readTop } from './rankings.ts';
import { readScore } from './score.ts';
import type { EventSource } from './source.ts';
import { openStats, readStats } from './stats.ts';
import { readTransport } from './transport.ts';
import { parseWindow } from './window.ts';

export function createInsightRoutes(source: EventSource): Route[] {
  return [...createSeriesRoutes(source), ...createRankingRoutes(source), ...createSecurityRoutes(source)];
}

function createSeriesRoutes(source: EventSource): Route[] {
  return [
    implement(trafficInsightRoutes.stats, async (ctx, { query }) => {
      const { project: _, granularity, by, uniques, ...asked } = query;
      const stats = await openStats(ctx, source, { query: asked, options: { granularity, by, uniques } });
      return { body: await readStats(stats) };
    }),
    implement(trafficInsightRoutes.statsOfOperation, async (ctx, { params, query }) => {
      const { project: _, granularity, by, uniques, ...rest } = query;
      const asked: TrafficFilter & typeof rest = { ...rest, operation_id: [params.operation_id] };
      const stats = await openStats(ctx, source, { query: asked, options: { granularity, by, uniques } });
      return { body: await readStats(stats) };
    }),
    implement(trafficInsightRoutes.posture, async (ctx, { params, query }) => ({
      body: await readPosture(ctx, source, { operationId: params.operation_id, days: query.window_days ?? 7 }),
    })),
    implement(trafficInsightRoutes.overview, async (ctx, { query }) => {
      const { project: _, top, ...asked } = query;
      const question = await openLong(ctx, source, { query: asked, columns: OPERATION_COLUMNS });
      return { body: await readOverview(question, top) };
    }),
    implement(trafficInsightRoutes.latencyMap, async (ctx, { query }) => {
      const { project: _, ...asked } = query;
      return { body: await readLatencyMap(ctx, source, asked) };
    }),
    implement(trafficInsightRoutes.comparison, async (ctx, { query }) => {
      const { project: _, top, from, to, base_from, base_to, ...filter } = query;
      const base = { from: base_from, to: base_to };
      return { body: await readComparison(ctx, source, { filter, times: { from, to }, base, top }) };
    }),
    implement(trafficInsightRoutes.errors, async (ctx, { query }) => {
      const { project: _, top, min_error_percentage, granularity, ...asked } = query;
      const question = await openLong(ctx, source, { query: asked, columns: OPERATION_COLUMNS });
      return { body: await readErrors(question, { top, minPercentage: min_error_percentage, granularity }) };
    }),
  ];
}

function createRankingRoutes(source: EventSource): Route[] {
  return [
    implement(trafficInsightRoutes.top, async (ctx, { query }) => {
      const { project: _, top, by, order, ...asked } = query;
      return { body: await readTop(ctx, source, { query: asked, by, order, top }) };
    }),
    implement(trafficInsightRoutes.geo, async (ctx, { query }) => {
      const { project: _, top, ...asked } = query;
      return { body: await readGeo(await Question.open(ctx, source, toAsked(asked, ctx.now)), top) };
    }),
    implement(trafficInsightRoutes.consumers, async (ctx, { query }) => {
      const { project: _, top, ...asked } = query;
      return { body: await readConsumers(await Question.open(ctx, source, toAsked(asked, ctx.now)), top) };
    }),
    implement(trafficInsightRoutes.consumer, async (ctx, { params, query }) => {
      const window = parseWindow(query, ctx.now);
      const filter = { consumer: [params.consumer_hash] };
      const question = await Question.open(ctx, source, { ...window, filter });
      return { body: await readConsumer(question, { consumer: params.consumer_hash, top: query.top }) };
    }),
    implement(trafficInsightRoutes.bots, async (ctx, { query }) => {
      const { project: _, top, kind, ...asked } = query;
      return { body: await readBots(await Question.open(ctx, source, toAsked(asked, ctx.now)), { kind, top }) };
    }),
  ];
}

function createSecurityRoutes(source: EventSource): Route[] {
  return [
    implement(trafficInsightRoutes.transport, async (ctx, { query }) => {
      const { project: _, top, ...asked } = query;
      return { body: await readTransport(await Question.open(ctx, source, toAsked(asked, ctx.now)), top) };
    }),
    implement(trafficInsightRoutes.score, async (ctx, { query }) => {
      const { project: _, ...asked } = query;
      return { body: await readScore(await Question.open(ctx, source, toAsked(asked, ctx.now)), ctx.now) };
    }),
    implement(trafficInsightRoutes.gaps, async (ctx, { query }) => {
      const window = parseWindow(query, ctx.now, { maxMs: 366 * 86_400_000, because: 'gaps are not kept longer' });
      const isRestricted = readerOf(ctx) !== undefined;
      const [gaps, waiting] = await Promise.all([
        listGaps(ctx.db, ctx.project.id, { ...query, window, isRestricted }),
        listBacklogs(ctx.db, ctx.project.id, query),
      ]);
      return { body: { ...gaps, waiting } };
    }),
  ];
}
