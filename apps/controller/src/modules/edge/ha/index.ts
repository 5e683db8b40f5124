export { openArbiter } from './arbiter.ts';
export type { FleetCommands } from './fleet-commands.ts';
export { openPairs, type Pairs } from './pairs.ts';
export { createHaRoutes } from './routes.ts';
export { HA_OFF } from './routes-off.ts';
export { listPairedServices, type PairedService } from './services.ts';
