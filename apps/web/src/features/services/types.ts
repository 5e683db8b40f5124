import type {
  CallOutput,
  commandRoutes,
  configErrorSchema,
  documentRoutes,
  serviceRevisionSchema,
  serviceRoutes,
  snapshotRoutes,
} from '@flotilla/contract';

export type ServiceDetail = CallOutput<typeof serviceRoutes.detail>;
export type Service = ServiceDetail['service'];
export type ServiceNode = ServiceDetail['nodes'][number];
export type NodeResource = NonNullable<ServiceNode['rollout']>['resources'][number];
export type ServiceListItem = CallOutput<typeof serviceRoutes.list>['items'][number];
export type ServiceRevision = ReturnType<(typeof serviceRevisionSchema)['parse']>;
export type ConfigError = ReturnType<(typeof configErrorSchema)['parse']>;
export type CommandItem = CallOutput<typeof commandRoutes.list>['items'][number];
export type CommandResult = CallOutput<typeof commandRoutes.dispatch>['results'][number];
export type DependencyGraph = CallOutput<typeof documentRoutes.dependency>;
export type Snapshot = CallOutput<typeof snapshotRoutes.getNodeSnapshot>;
