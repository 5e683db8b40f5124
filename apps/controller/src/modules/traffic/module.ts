import { systemClock } from '@flotilla/kit';
import type { Route } from '../../platform/http/route.ts';
import type { Platform } from '../../platform/platform.ts';
import { createApiDocumentRoutes, DocumentReader } from './api-documents/index.ts';
import { type CollectorModule, composeCollector } from './collector/index.ts';
import { startEventExports } from './event-exports/index.ts';
import { composeTrafficEvents, type EventSource } from './events/index.ts';
import { createFindingRoutes, FindingPass } from './findings/index.ts';
import { applyBatches, createInventoryRoutes, followMerges } from './inventory/index.ts';
import { createPolicyDraftRoutes, createTrafficReader } from './policy-drafts/index.ts';
import { composeRewrite } from './rewrite/index.ts';
import { TrafficMetrics, TrafficRecorder, TrafficRollUp } from './series/index.ts';

export function composeTraffic(platform: Platform) {
  const { database, logger, metrics, lifecycle } = platform;
  const { db } = database;
  const now = () => new Date();
  const traffic = new TrafficRecorder({ db, logger, now, listener: new TrafficMetrics(metrics, now) });
  lifecycle.add(() => traffic.close());
  const rewrite = composeRewrite(platform);
  return {
    traffic,
    /** For processes that serve agents: the others store nothing. */
    startRollUp() {
      const rollUp = new TrafficRollUp({ db, logger, now });
      lifecycle.add(() => rollUp.close());
    },
    /** For processes that serve agents, too. */
    startCollector: (controllerId: string): Promise<CollectorModule> =>
      composeCollector(platform, { controllerId, applyBatches, onNamesChanged: rewrite.request }),
    /** For processes that may lead: the leader compares findings with the catalogue. */
    startFindings() {
      const pass = new FindingPass({ db, leadership: platform.leadership, logger, clock: systemClock });
      lifecycle.add(() => pass.close());
    },
    /** The routes of the catalogue, of the findings and of the events. */
    async composeInsight(source: EventSource) {
      const exportRoutes = await startEventExports(platform, { events: source.access });
      const { live, routes, findOperationsByTraffic } = composeTrafficEvents(platform, source);
      const reader = new DocumentReader();
      lifecycle.add(() => reader.close());
      return {
        routes: [
          ...createInventoryRoutes({ findOperationsByTraffic: followMerges(db, findOperationsByTraffic) }),
          ...rewrite.routes,
          ...createApiDocumentRoutes({ reader }),
          ...createFindingRoutes(),
          ...routes,
          ...createPolicyDraftRoutes(source),
          ...exportRoutes,
        ] satisfies readonly Route[],
        readTraffic: createTrafficReader(source),
        close: () => live.close(),
      };
    },
  };
}
