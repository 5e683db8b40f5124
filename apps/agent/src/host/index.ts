export type { ServiceIdentity } from './identity.ts';
export { createServiceHost } from './service-host.ts';
export type {
  ControlAction,
  ControlOptions,
  ControlResult,
  InstalledVersion,
  PreparedService,
  ServiceHost,
  ServiceHostOptions,
  StartedEnvoy,
} from './types.ts';
