export type { ServiceNode } from './model.ts';
export type { StoredReport, StoredResource } from './node-views.ts';
export { releaseAdminPort } from './ports.ts';
export { createServiceRoutes } from './routes.ts';
export {
  type ProjectContext,
  SERVICES_CHANGED,
  type ServiceReferences,
  ServiceRegistry,
} from './service.ts';
export { listServiceNodes, listServicesOfClient, listTargeting } from './views.ts';
