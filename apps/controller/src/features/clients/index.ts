export { ControllerPresence, isConnected } from './presence.ts';
export { CLIENTS_MOVED, CLIENTS_REMOVED, ClientRegistry, type Connection } from './registry.ts';
export { createClientRoutes } from './routes.ts';
