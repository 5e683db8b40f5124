export { hasClientStatus, isConnected } from './connected-view.ts';
export { deriveLoadPercent, deriveMemoryPercent, toStatsJson } from './model.ts';
export { CLIENTS_MOVED, CLIENTS_REMOVED, ClientRegistry, type Connection, type PairRemoval } from './registry.ts';
export { createClientRoutes } from './routes.ts';
export type { StoredFacts } from './tables.ts';
export { findClientName, findProjectOfClient, listLabelledClients, readClient } from './views.ts';
