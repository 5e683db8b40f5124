import type { Route } from '../../platform/http/route.ts';
import type { Platform } from '../../platform/platform.ts';
import { type CollectorModule, composeCollector } from './collector/index.ts';
import { composeTrafficEvents, type EventSource } from './events/index.ts';
import { applyBatches, createInventoryRoutes, followMerges } from './inventory/index.ts';
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
    /** The routes of the catalogue and of the events. */
    composeInsight(source: EventSource): { readonly routes: readonly Route[]; close(): void } {
      const { live, routes, findOperationsByTraffic } = composeTrafficEvents(platform, source);
      const inventory = createInventoryRoutes({ findOperationsByTraffic: followMerges(db, findOperationsByTraffic) });
      return {
        routes: [...inventory, ...rewrite.routes, ...routes],
        close: () => live.close(),
      };
    },
  };
}
