import type {
  CallOutput,
  commandRoutes,
  configErrorSchema,
  documentRoutes,
  fleetRoutes,
  serviceRevisionSchema,
  serviceRoutes,
  snapshotRoutes,
} from '@flotilla/contract';

type WholeDetail = CallOutput<typeof serviceRoutes.detail>;
type SeenDetail = CallOutput<typeof fleetRoutes.service>;
type WholeNode = WholeDetail['nodes'][number];
type WholeListItem = CallOutput<typeof serviceRoutes.list>['items'][number];
type SeenListItem = CallOutput<typeof fleetRoutes.services>['items'][number];

/** A service as owners and admins read it. */
export type WholeService = WholeDetail['service'];
/** A service as every member reads it; only owners and admins get the optional members. */
export type Service = SeenDetail['service'] &
  Partial<Pick<WholeService, 'clients' | 'client_listeners' | 'missing_addresses'>>;
export type ServiceNode = SeenDetail['nodes'][number] & Partial<Pick<WholeNode, 'addresses' | 'admin_port'>>;
export interface ServiceDetail {
  readonly service: Service;
  readonly nodes: ServiceNode[];
  readonly errors: ConfigError[];
}
export type NodeResource = NonNullable<ServiceNode['rollout']>['resources'][number];
export type ServiceListItem = Omit<SeenListItem, 'connected'> &
  Partial<Pick<WholeListItem, 'ip_addresses' | 'admin_port' | 'client_listeners' | 'missing_addresses'>>;
export type ServiceRevision = ReturnType<(typeof serviceRevisionSchema)['parse']>;
export type ConfigError = ReturnType<(typeof configErrorSchema)['parse']>;
export type CommandItem = CallOutput<typeof commandRoutes.list>['items'][number];
export type CommandResult = CallOutput<typeof commandRoutes.dispatch>['results'][number];
export type DependencyGraph = CallOutput<typeof documentRoutes.dependency>;
export type Snapshot = CallOutput<typeof snapshotRoutes.getNodeSnapshot>;

export function isWhole(service: Service): service is Service & WholeService {
  return service.clients !== undefined;
}
