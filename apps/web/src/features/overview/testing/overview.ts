import type { Overview } from '@flotilla/contract';

/** Creates the overview of a project with one service on one client, with an up-to-date configuration. */
export function createOverview(changes: Partial<Overview> = {}): Overview {
  return {
    at: '2026-01-01T00:00:00.000Z',
    settled_at: '2025-12-31T00:00:00.000Z',
    services: {
      total: 1,
      live: 1,
      partial: 0,
      offline: 0,
      not_deployed: 0,
      failed: 0,
      unreachable: 0,
      degraded: 0,
      worst: [],
    },
    clients: { total: 1, live: 1, offline: 0, offline_clients: [] },
    config_errors: { active: 0, critical: 0, error: 0, warning: 0, newest: [] },
    certificates: { ended: 0, ends_soon: 0, first: [] },
    pending_changes: { nodes: 0, items: [] },
    running_commands: 0,
    recent: [],
    ...changes,
  };
}
