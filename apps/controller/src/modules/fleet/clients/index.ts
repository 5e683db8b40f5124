export { deriveLoadPercent, deriveMemoryPercent, toStatsJson } from './model.ts';
export { isConnected } from './presence-store.ts';
export { CLIENTS_MOVED, CLIENTS_REMOVED, ClientRegistry, type Connection } from './registry.ts';
export { createClientRoutes } from './routes.ts';
export { findProjectOfClient } from './views.ts';
