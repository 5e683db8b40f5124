import { createOverviewRoutes } from './features/overview/index.ts';
import type { Route } from './http/route.ts';

/** How the whole fares, and what looks after it. */
export function composeMaintenance(): { routes: Route[] } {
  return { routes: createOverviewRoutes() };
}
