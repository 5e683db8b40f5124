export { createShieldTrialRoutes } from './routes.ts';
export { TrialProcesses } from './trial-processes.ts';
