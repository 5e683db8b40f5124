import { fail, logRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { LogStreams } from './log-streams.ts';

const STREAM_HEADERS = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no', connection: 'close' };

export function createLogRoutes(streams: LogStreams): Route[] {
  return [
    implement(logRoutes.stream, async (ctx, { params, query }) => {
      if (ctx.actor.kind === 'anonymous') throw fail('auth.missing');
      const { project: _, type, last_event_id: lastId, ...asked } = query;
      const command = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
      const body = await streams.open(ctx.actor, {
        project: ctx.project.id,
        role: ctx.project.role,
        body: {
          type,
          sub_type: type === 'SERVICE' ? 'SUB_LOGS' : '',
          clients: [{ client_id: params.client_id }],
          command,
        },
        // The header wins over the query: browsers keep the URL when they reconnect.
        cursor: ctx.lastEventId ?? lastId,
        noteRefusal: (target) => ctx.refusedIn(target),
      });
      return { body, contentType: 'text/event-stream', headers: STREAM_HEADERS };
    }),
  ];
}
