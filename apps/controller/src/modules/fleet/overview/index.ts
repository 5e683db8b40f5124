export { type FleetView, fleetViewOf } from './scope-views.ts';
