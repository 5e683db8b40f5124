import type { Migration } from 'kysely/migration';
import * as foundation from './0001-foundation.ts';
import * as documents from './0003-documents.ts';
import * as fleet from './0004-fleet.ts';
import * as enrolment from './0005-enrolment.ts';
import * as liveEvents from './0006-live-events.ts';
import * as metrics from './0007-metrics.ts';
import * as commandKinds from './0008-command-kinds.ts';
import * as toldByStatement from './0009-told-by-statement.ts';
import * as shieldEvents from './0010-shield-events.ts';
import * as shieldEventSearch from './0011-shield-event-search.ts';
import * as shieldEventDrops from './0012-shield-event-drops.ts';
import * as rowSecurity from './0013-row-security.ts';
import * as sessions from './0014-sessions.ts';
import * as signIns from './0015-sign-ins.ts';
import * as permissions from './0016-permissions.ts';
import * as audit from './0017-audit.ts';
import * as jobs from './0018-jobs.ts';
import * as settings from './0019-settings.ts';
import * as resourcePermissions from './0020-permissions.ts';
import * as auditForwarding from './0021-audit-forwarding.ts';
import * as directories from './0022-directories.ts';
import * as firstPassword from './0023-first-password.ts';
import * as backups from './0024-backups.ts';
import * as keys from './0025-keys.ts';
import * as controllers from './0026-controllers.ts';
import * as threatIntel from './0027-threat-intel.ts';
import * as auditSearch from './0028-audit-search.ts';
import * as jobIndexes from './0029-job-indexes.ts';
import * as auditScale from './0030-audit-scale.ts';
import * as jobsOrder from './0031-jobs-order.ts';
import * as restore from './0032-restore.ts';
import * as permissionScale from './0033-permission-scale.ts';
import * as directoryAccounts from './0034-directory-accounts.ts';
import * as serviceSecrets from './0035-service-secrets.ts';
import * as partsAndGrants from './0036-parts-and-grants.ts';
import * as defaultGroups from './0037-default-groups.ts';
import * as certificateEnds from './0038-certificate-ends.ts';
import * as toldAudit from './0039-told-audit.ts';
import * as hostAccess from './0040-host-access.ts';
import * as homeProjects from './0041-home-projects.ts';
import * as documentComments from './0043-document-comments.ts';
import * as projectCollectors from './0044-project-collectors.ts';
import * as configErrorCodes from './0045-config-error-codes.ts';
import * as shieldReports from './0046-shield-reports.ts';

/** In order of their names. A migration that has been released never changes. */
export const migrations: Record<string, Migration> = {
  '0001-foundation': foundation,
  '0003-documents': documents,
  '0004-fleet': fleet,
  '0005-enrolment': enrolment,
  '0006-live-events': liveEvents,
  '0007-metrics': metrics,
  '0008-command-kinds': commandKinds,
  '0009-told-by-statement': toldByStatement,
  '0010-shield-events': shieldEvents,
  '0011-shield-event-search': shieldEventSearch,
  '0012-shield-event-drops': shieldEventDrops,
  '0013-row-security': rowSecurity,
  '0014-sessions': sessions,
  '0015-sign-ins': signIns,
  '0016-permissions': permissions,
  '0017-audit': audit,
  '0018-jobs': jobs,
  '0019-settings': settings,
  '0020-permissions': resourcePermissions,
  '0021-audit-forwarding': auditForwarding,
  '0022-directories': directories,
  '0023-first-password': firstPassword,
  '0024-backups': backups,
  '0025-keys': keys,
  '0026-controllers': controllers,
  '0027-threat-intel': threatIntel,
  '0028-audit-search': auditSearch,
  '0029-job-indexes': jobIndexes,
  '0030-audit-scale': auditScale,
  '0031-jobs-order': jobsOrder,
  '0032-restore': restore,
  '0033-permission-scale': permissionScale,
  '0034-directory-accounts': directoryAccounts,
  '0035-service-secrets': serviceSecrets,
  '0036-parts-and-grants': partsAndGrants,
  '0037-default-groups': defaultGroups,
  '0038-certificate-ends': certificateEnds,
  '0039-told-audit': toldAudit,
  '0040-host-access': hostAccess,
  '0041-home-projects': homeProjects,
  '0043-document-comments': documentComments,
  '0044-project-collectors': projectCollectors,
  '0045-config-error-codes': configErrorCodes,
  '0046-shield-reports': shieldReports,
};
