/** All declared commands. The name of the export is the name of the command. */
export { ALERTS as alerts } from './alerts.ts';
export { API_DOCUMENTS as 'api-documents' } from './api-documents/index.ts';
export { API_OWNERS as 'api-owners' } from './api-owners.ts';
export { APPLIANCE as appliance } from './appliance.ts';
export { AUDIT as audit } from './audit.ts';
export { BACKUP_COMMANDS as backup } from './backup.ts';
export { CLEAN_UP_COMMANDS as cleanup } from './cleanup.ts';
export { CONFIG_ERRORS as errors } from './config-errors.ts';
export { CONSUMERS as consumers } from './consumers.ts';
export { COUNTERS as counters } from './counters.ts';
export { EVENT_EXPORTS as 'event-exports' } from './event-exports.ts';
export { FILTERS as filters } from './filters.ts';
export { FINDINGS as findings } from './findings.ts';
export { CLIENTS as clients, SERVICES as services } from './fleet.ts';
export { GET as get } from './get-records.ts';
export { GROUPS as groups } from './groups.ts';
export { HA as ha } from './ha/index.ts';
export { VERSIONS as versions } from './host-versions.ts';
export {
  CONTROLLERS as controllers,
  SECOND_FACTOR as 'second-factor',
  SIGN_IN_BLOCKS as 'sign-in-blocks',
  SIGNING_KEYS as 'signing-keys',
  STORAGE as storage,
} from './installation.ts';
export { INVENTORY as inventory } from './inventory/index.ts';
export { JOBS as jobs } from './jobs.ts';
export { KEYS as keys } from './keys.ts';
export { LOGSHIPPER as logshipper } from './log-shipper.ts';
export { LOGS as logs } from './logs.ts';
export { NETWORK as network } from './network.ts';
export { MAY as may, OWN_INVITATIONS as invitations, OWN_SESSIONS as sessions } from './own-account.ts';
export { PERMISSIONS as permissions } from './permissions.ts';
export { POLICIES as policies } from './policies.ts';
export { PROJECTS as projects } from './projects.ts';
export { PROXY as proxy } from './proxy.ts';
export { REQUESTS as requests } from './requests.ts';
export { ROUTING as routing } from './routing.ts';
export { COUNT as count, SEARCH as search } from './search.ts';
export {
  DISCOVERY_TOKEN as 'discovery-token',
  ENROLMENT as enrolment,
  TOKENS as tokens,
  ZONES as zones,
} from './secrets.ts';
export { SETTINGS as settings } from './settings.ts';
export { SYSLOG as syslog } from './syslog.ts';
export { GEOIP as geoip, THREAT_FEEDS as 'threat-feeds' } from './threats.ts';
export { USERS as users } from './users.ts';
