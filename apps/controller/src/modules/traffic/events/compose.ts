import type { Platform } from '../../../platform/platform.ts';
import { createEventListRoutes } from './event-routes.ts';
import { createOperationFinder } from './find-operations.ts';
import { createInsightRoutes } from './insight-routes.ts';
import { LiveTail } from './live-tail.ts';
import type { EventSource } from './source.ts';

/** The routes that read the event store, and the question that lists of the inventory ask it. */
export function composeTrafficEvents(
  { database: { db }, logger, lifecycle }: Pick<Platform, 'database' | 'logger' | 'lifecycle'>,
  source: EventSource,
) {
  const live = new LiveTail({ source, db, logger });
  lifecycle.add(() => live.close());
  return {
    live,
    routes: [...createEventListRoutes(source, live), ...createInsightRoutes(source)],
    findOperationsByTraffic: createOperationFinder(source),
  };
}
