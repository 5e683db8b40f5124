import { fail, type TrafficFilter, trafficEventRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import { readEvent, readEventPage } from './event-pages.ts';
import type { LiveTail } from './live-tail.ts';
import { Question, toAsked } from './question.ts';
import type { EventSource } from './source.ts';

const STREAM_HEADERS = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no', connection: 'close' };

export function createEventListRoutes(source: EventSource, live: LiveTail): Route[] {
  return [
    implement(trafficEventRoutes.list, async (ctx, { query }) => {
      const { project: _, limit, cursor, facets, ...asked } = query;
      const question = await Question.open(ctx, source, toAsked(asked, ctx.now));
      return { body: await readEventPage(ctx, question, { limit, cursor, facets }) };
    }),
    implement(trafficEventRoutes.ofOperation, async (ctx, { params, query }) => {
      const { project: _, limit, cursor, facets, ...asked } = query;
      const filter: TrafficFilter = { ...asked, operation_id: [params.operation_id] };
      const question = await Question.open(ctx, source, toAsked(filter, ctx.now));
      return { body: await readEventPage(ctx, question, { limit, cursor, facets }) };
    }),
    implement(trafficEventRoutes.get, async (ctx, { params }) => {
      const open = (window: { from: number; to: number }) => Question.open(ctx, source, { ...window, filter: {} });
      return { body: await readEvent(ctx, open, params.event_id) };
    }),
    implement(trafficEventRoutes.live, async (ctx, { query }) => {
      const { actor } = ctx;
      if (actor.kind === 'anonymous') throw fail('auth.missing');
      const { project: _, last_event_id: lastId, ...filter } = query;
      // The header wins over the query: browsers keep the URL when they reconnect.
      const body = await live.open(ctx, { actor, filter, lastId: ctx.lastEventId ?? lastId });
      return { body, contentType: 'text/event-stream', headers: STREAM_HEADERS };
    }),
  ];
}
