export type { ServiceNode } from './model.ts';
export { selectDeployedNodes } from './node-store.ts';
export { listServiceNodes, type StoredReport, type StoredResource } from './node-views.ts';
export { releaseAdminPort } from './port-store.ts';
export { createServiceRoutes } from './routes.ts';
export {
  type ProjectContext,
  SERVICES_CHANGED,
  type ServiceReferences,
  ServiceRegistry,
} from './service.ts';
export { listServicesOfClient, listTargeting } from './views.ts';
