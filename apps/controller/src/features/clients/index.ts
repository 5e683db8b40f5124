export { ControllerPresence, isConnected } from './presence.ts';
export { CLIENTS_MOVED, CLIENTS_REMOVED, ClientRegistry, type ClientRemoval, type Connection } from './registry.ts';
export { type ClientRouteDeps, createClientRoutes } from './routes.ts';
