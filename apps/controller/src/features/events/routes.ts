import { eventRoutes } from '@flotilla/contract';
import { isSystemOwner } from '../../http/guard.ts';
import { implement, type Route } from '../../http/route.ts';
import type { EventHub } from './hub.ts';

const HEADERS = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no', connection: 'close' };

export function createEventRoutes(hub: EventHub): Route[] {
  return [
    implement(eventRoutes.stream, async (ctx, { query }) => {
      if (ctx.actor.kind === 'anonymous') throw new Error('the guard lets nobody in without a name');
      const { id: project, role, reader } = ctx.project;
      const listener = { project, role, isOwner: isSystemOwner(ctx.actor), isReader: reader !== undefined };
      // The header is the newer of the two: browsers keep the address when they connect again.
      const body = hub.open(ctx.actor, listener, ctx.lastEventId ?? query.last_event_id);
      return { body, contentType: 'text/event-stream', headers: HEADERS };
    }),
  ];
}
