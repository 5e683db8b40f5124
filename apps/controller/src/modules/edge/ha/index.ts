export type { FleetCommands } from './fleet-commands.ts';
export { createHaRoutes } from './routes.ts';
export { HA_OFF } from './routes-off.ts';
