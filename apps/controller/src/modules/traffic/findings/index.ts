export { FindingPass } from './pass.ts';
export { createFindingRoutes } from './routes.ts';
