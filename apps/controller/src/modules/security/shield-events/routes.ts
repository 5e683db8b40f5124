import { SHIELD_SUMMARY_TOP_DEFAULT, shieldEventRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import { parseSpan } from '../../../platform/http/time-range.ts';
import { summarizeEvents } from './summary-views.ts';
import { listEvents } from './views.ts';

const SUMMARY_SPAN_MS = 86_400_000;

export function createShieldEventRoutes(): Route[] {
  return [
    implement(shieldEventRoutes.list, async (ctx, { query }) => {
      const { project: _, limit, cursor, sort, ...filter } = query;
      return { body: await listEvents(ctx.db, ctx.project.id, { filter, page: { limit, cursor, sort } }) };
    }),
    implement(shieldEventRoutes.summary, async (ctx, { query }) => {
      const { project: _, top = SHIELD_SUMMARY_TOP_DEFAULT, ...filter } = query;
      const span = parseSpan(filter, ctx.now, SUMMARY_SPAN_MS);
      return { body: await summarizeEvents(ctx.db, ctx.project.id, { filter, span, top }) };
    }),
  ];
}
