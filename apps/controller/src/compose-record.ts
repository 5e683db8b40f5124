import { createAuditRoutes } from './features/audit/index.ts';
import type { Route } from './http/route.ts';

/** The record of who did what. */
export function composeRecord(): { routes: Route[] } {
  return { routes: createAuditRoutes() };
}
