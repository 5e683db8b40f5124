import {
  fail,
  TRAFFIC_EVENTS_PAGE_DEFAULT,
  TRAFFIC_FACET_VALUES,
  type TrafficDimension,
  type TrafficEvent,
} from '@flotilla/contract';
import type { StoredEvent } from '@flotilla/event-store';
import type { RequestContext } from '../../../platform/http/context.ts';
import { toEvent } from './answers.ts';
import { type Names, readFindings } from './names-store.ts';
import type { Question } from './question.ts';
import { refuseField } from './window.ts';

const EVENT_ID = /^(\d{1,15})\.([0-9a-f]{16})([0-9a-f]{8})$/;

export interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly facets?: readonly TrafficDimension[] | undefined;
}

/** A page of the newest requests, with the facets of the whole range on the first one. */
export async function readEventPage(
  ctx: RequestContext,
  question: Question,
  { limit = TRAFFIC_EVENTS_PAGE_DEFAULT, cursor, facets = [] }: PageQuery,
) {
  if (cursor !== undefined && !EVENT_ID.test(cursor)) {
    throw refuseField('cursor', 'must be the next_cursor of the previous page');
  }
  const counted = cursor === undefined ? facets : [];
  const [page, lists] = await Promise.all([
    question.ask((store, project) =>
      store.page(project, { ...question.range(), limit, ...(cursor !== undefined && { cursor }) }),
    ),
    Promise.all(counted.map((by) => question.largest(by, { limit: TRAFFIC_FACET_VALUES, resolution: 'raw' }))),
  ]);
  const [items, groups] = await Promise.all([showEvents(ctx, question, page.events), question.label(lists)]);
  const requests = page.events.reduce((sum, { weight }) => sum + weight, 0);
  return {
    items,
    next_cursor: page.nextCursor,
    ...question.describe({ resolution: 'raw', events: items.length, requests }),
    ...(counted.length > 0 && { facets: Object.fromEntries(counted.map((by, index) => [by, groups[index] ?? []])) }),
  };
}

/** Adds names and findings: one query for each, whatever the number of events. */
export async function showEvents(
  ctx: Pick<RequestContext, 'db' | 'project'>,
  question: { names(of: Parameters<Question['names']>[0]): Promise<Names> },
  events: readonly StoredEvent[],
): Promise<TrafficEvent[]> {
  const [names, findings] = await Promise.all([
    question.names({ services: events.map(({ service }) => service), clients: events.map(({ client }) => client) }),
    readFindings(
      ctx.db,
      ctx.project.id,
      events.map(({ requestId }) => requestId),
    ),
  ]);
  return events.map((event) => toEvent(event, { names, findings }));
}

/** Throws record.not_found, also for an event of another project or of a service that the caller may not see. */
export async function readEvent(
  ctx: RequestContext,
  open: (window: { from: number; to: number }) => Promise<Question>,
  eventId: string,
): Promise<TrafficEvent> {
  const [, time = '', batch = '', ordinal = ''] = EVENT_ID.exec(eventId) ?? [];
  const timeMs = Number(time);
  const question = await open({ from: timeMs, to: timeMs + 1 });
  // Pages go back in time, so the page after the next possible id begins with this one.
  const after = (Number.parseInt(ordinal, 16) + 1).toString(16).padStart(8, '0');
  const cursor = after.length > 8 ? undefined : `${timeMs}.${batch}${after}`;
  const { events } = await question.ask((store, project) =>
    store.page(project, { ...question.range(), limit: 1, ...(cursor !== undefined && { cursor }) }),
  );
  const [found] = events.filter(({ id }) => id === `${batch}${ordinal}`);
  if (found === undefined) throw fail('record.not_found', { kind: 'request', name: eventId });
  const [event] = await showEvents(ctx, question, [found]);
  if (event === undefined) throw new Error('A stored event is always shown.');
  return event;
}
