import { eventRoutes } from '@flotilla/contract';
import { isSystemOwner } from '../http/guard.ts';
import { implement, type Route } from '../http/route.ts';
import type { LiveEvents } from './live-events.ts';

const HEADERS = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no', connection: 'close' };

export function createEventRoutes(events: LiveEvents): Route[] {
  return [
    implement(eventRoutes.stream, async (ctx, { query }) => {
      if (ctx.actor.kind === 'anonymous') throw new Error('the guard lets nobody in without a name');
      const { id: project, role, reader } = ctx.project;
      const isOwner = isSystemOwner(ctx.actor);
      const first = { project, role, isOwner, isReader: reader !== undefined };
      const others = await events.findListeners(ctx.actor, query.also ?? []);
      // The header wins over the query: browsers keep the URL when they reconnect.
      const body = events.hub.open(
        ctx.actor,
        [first, ...others.filter((other) => other.project !== project)],
        ctx.lastEventId ?? query.last_event_id,
      );
      return { body, contentType: 'text/event-stream', headers: HEADERS };
    }),
  ];
}
