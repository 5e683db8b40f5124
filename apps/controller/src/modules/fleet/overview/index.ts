export { createFleetRoutes } from './routes.ts';
export { type FleetView, fleetViewOf } from './scope-views.ts';
