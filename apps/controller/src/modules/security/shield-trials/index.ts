export { createShieldTrialRoutes, type ReadTraffic } from './routes.ts';
export { TrialProcesses } from './trial-processes.ts';
