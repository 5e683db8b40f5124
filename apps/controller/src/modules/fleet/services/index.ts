export { conditionState, selectTargetStates } from './condition-store.ts';
export { serviceContentContext } from './encryption-context.ts';
export type { ServiceNode } from './model.ts';
export { selectDeployedNodes } from './node-store.ts';
export { listServiceNodes, readServiceNodes, type StoredReport, type StoredResource } from './node-views.ts';
export { releaseAdminPort } from './port-store.ts';
export { createServiceRoutes } from './routes.ts';
export { type ProjectContext, SERVICES_CHANGED, ServiceRegistry } from './service.ts';
export { listServices, listServicesOfClient, listTargeting, readService, type ServiceListQuery } from './views.ts';
