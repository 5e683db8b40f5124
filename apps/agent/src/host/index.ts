export { ADS_SECRET_HEADER } from './ads-secret.ts';
export { readListenerPorts, streamAdmin } from './envoy/admin-client.ts';
export { ENVOY_DRAIN } from './envoy/drain-times.ts';
export { type SocketPlace, serveSocket } from './serve-socket.ts';
export { createServiceHost } from './service-host.ts';
export { type ServiceSocket, withServiceSocket } from './service-socket.ts';
export type { BundleFiles } from './shield/bundle-files.ts';
export type {
  ControlAction,
  ControlResult,
  EnvoyHandle,
  LogRequest,
  PreparedService,
  ServiceHost,
} from './types.ts';
export { wafModuleDir } from './versions/module-file.ts';
export type {
  ArchiveOffer,
  HostVersions,
  InstalledVersion,
  InstallRequest,
  VersionKind,
  VersionProblem,
} from './versions/types.ts';
