import type { ComposeParts } from './compose-parts.ts';
import { createOverviewRoutes } from './features/overview/index.ts';
import { createCloudRoutes, createSettingRoutes } from './features/settings/index.ts';
import type { Route } from './http/route.ts';

/** How the whole fares, what is set for it, and what looks after it. */
export function composeMaintenance({ database: { db }, keyring }: ComposeParts): { routes: Route[] } {
  return {
    routes: [...createOverviewRoutes(), ...createSettingRoutes({ db, keyring }), ...createCloudRoutes(keyring)],
  };
}
