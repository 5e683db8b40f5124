import { type CommandName, type CommandSpec, specOf } from '@flotilla/proto/commands';
import { ADMINS, EDITORS, READERS, type Role } from '../role-sets.ts';

export {
  ADMIN_READ_PATHS,
  ADMIN_WRITE_PATHS,
  CAPABILITIES,
  type Capability,
  CLIENT_LOG_TYPES,
  type ClientLogType,
  COMMAND_SPECS,
  type CommandName,
  type CommandSpec,
  DRAIN_TIME,
  ENVOY_LOG_LEVELS,
  type EnvoyLogLevel,
  findCommand,
  HEALTH_SEVERITIES,
  type HealthSeverity,
  KEPT_SECRET,
  LOG_LEVELS,
  LOG_LIMITS,
  type LogEntry,
  type LogLevel,
  type LogPage,
  NETWORK_LIMITS,
  PUBLIC_COMMAND_SPECS,
  SERVICE_LOG_TYPES,
  type ServiceLogType,
  SHIPPER_DRIVERS,
  SUPPORT_BUNDLE_ID,
  SUPPORT_BUNDLE_LIMITS,
  SUPPORT_BUNDLE_STATES,
  type SupportBundleState,
  selectOperation,
  specOf,
} from '@flotilla/proto/commands';

const ROLES: Readonly<Record<CommandSpec['effect'], readonly Role[]>> = {
  read: READERS,
  change: EDITORS,
  administer: ADMINS,
};

export function rolesOfCommand({ effect }: Pick<CommandSpec, 'effect'>): readonly Role[] {
  return ROLES[effect];
}

export function mayCommand(role: Role, command: CommandName): boolean {
  return rolesOfCommand(specOf(command)).includes(role);
}
