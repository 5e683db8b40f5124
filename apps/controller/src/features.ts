import { documentsFeature } from './modules/configuration/documents/feature.ts';
import { policiesFeature } from './modules/configuration/policies/feature.ts';
import { projectsFeature } from './modules/configuration/projects/feature.ts';
import { agentsFeature } from './modules/fleet/agents/feature.ts';
import { clientsFeature } from './modules/fleet/clients/feature.ts';
import { commandsFeature } from './modules/fleet/commands/feature.ts';
import { configErrorsFeature } from './modules/fleet/config-errors/feature.ts';
import { enrolmentFeature } from './modules/fleet/enrolment/feature.ts';
import { metricsFeature } from './modules/fleet/metrics/feature.ts';
import { servicesFeature } from './modules/fleet/services/feature.ts';
import { apiTokensFeature } from './modules/identity/api-tokens/feature.ts';
import { directoriesFeature } from './modules/identity/directories/feature.ts';
import { groupsFeature } from './modules/identity/groups/feature.ts';
import { oidcFeature } from './modules/identity/oidc/feature.ts';
import { passkeysFeature } from './modules/identity/passkeys/feature.ts';
import { permissionsFeature } from './modules/identity/permissions/feature.ts';
import { secondFactorFeature } from './modules/identity/second-factor/feature.ts';
import { serviceTokensFeature } from './modules/identity/service-tokens/feature.ts';
import { sessionsFeature } from './modules/identity/sessions/feature.ts';
import { signInFeature } from './modules/identity/sign-in/feature.ts';
import { usersFeature } from './modules/identity/users/feature.ts';
import { auditLogFeature } from './modules/operations/audit-log/feature.ts';
import { backupFeature } from './modules/operations/backup/feature.ts';
import { cleanUpFeature } from './modules/operations/clean-up/feature.ts';
import { housekeepingFeature } from './modules/operations/housekeeping/feature.ts';
import { keysFeature } from './modules/operations/keys/feature.ts';
import { storageFeature } from './modules/operations/storage/feature.ts';
import { geoipFeature } from './modules/security/geoip/feature.ts';
import { shieldEventsFeature } from './modules/security/shield-events/feature.ts';
import { threatIntelFeature } from './modules/security/threat-intel/feature.ts';
import { auditFeature } from './platform/audit/feature.ts';
import { databaseFeature } from './platform/database/feature.ts';
import { eventsFeature } from './platform/events/feature.ts';
import type { Feature } from './platform/features/index.ts';
import { idempotencyFeature } from './platform/http/feature.ts';
import { jobsFeature } from './platform/jobs/feature.ts';
import { keyringFeature } from './platform/keyring/feature.ts';
import { presenceFeature } from './platform/presence/feature.ts';
import { settingsFeature } from './platform/settings/feature.ts';
import { tokensFeature } from './platform/tokens/feature.ts';

/** Every feature of the controller. The rows of a feature refer only to rows of features before it. */
export const FEATURES: readonly Feature[] = [
  databaseFeature,
  eventsFeature,
  keyringFeature,
  projectsFeature,
  usersFeature,
  directoriesFeature,
  secondFactorFeature,
  passkeysFeature,
  sessionsFeature,
  signInFeature,
  oidcFeature,
  groupsFeature,
  permissionsFeature,
  apiTokensFeature,
  serviceTokensFeature,
  tokensFeature,
  idempotencyFeature,
  presenceFeature,
  jobsFeature,
  settingsFeature,
  auditFeature,
  auditLogFeature,
  documentsFeature,
  policiesFeature,
  cleanUpFeature,
  clientsFeature,
  enrolmentFeature,
  servicesFeature,
  agentsFeature,
  commandsFeature,
  configErrorsFeature,
  metricsFeature,
  shieldEventsFeature,
  threatIntelFeature,
  geoipFeature,
  backupFeature,
  storageFeature,
  keysFeature,
  housekeepingFeature,
];
