import type { Noun } from '../nouns/noun.ts';
import type { Verb } from '../nouns/verb.ts';
import { AUDIT } from './audit.ts';
import { BACKUP_COMMANDS } from './backup.ts';
import { CLEAN_UP_COMMANDS } from './cleanup.ts';
import { CONFIG_ERRORS } from './config-errors.ts';
import { COUNTERS } from './counters.ts';
import { CLIENTS, SERVICES } from './fleet.ts';
import { GET } from './get-records.ts';
import { GROUPS } from './groups.ts';
import { CONTROLLERS, SECOND_FACTOR, SIGN_IN_BLOCKS, SIGNING_KEYS, STORAGE } from './installation.ts';
import { JOBS } from './jobs.ts';
import { KEYS } from './keys.ts';
import { MAY, OWN_INVITATIONS, OWN_SESSIONS } from './own-account.ts';
import { PERMISSIONS } from './permissions.ts';
import { POLICIES } from './policies.ts';
import { PROJECTS } from './projects.ts';
import { COUNT, SEARCH, VERSIONS } from './search.ts';
import { DISCOVERY_TOKEN, ENROLMENT, TOKENS, ZONES } from './secrets.ts';
import { SETTINGS } from './settings.ts';
import { GEOIP, THREAT_FEEDS } from './threats.ts';
import { USERS } from './users.ts';

/** The commands that are declared as data, by name, in the order of the help. */
export const ENTRIES: Readonly<Record<string, Noun | Verb>> = {
  sessions: OWN_SESSIONS,
  invitations: OWN_INVITATIONS,
  may: MAY,
  get: GET,
  services: SERVICES,
  clients: CLIENTS,
  policies: POLICIES,
  search: SEARCH,
  versions: VERSIONS,
  count: COUNT,
  errors: CONFIG_ERRORS,
  enrolment: ENROLMENT,
  counters: COUNTERS,
  projects: PROJECTS,
  users: USERS,
  groups: GROUPS,
  permissions: PERMISSIONS,
  tokens: TOKENS,
  'discovery-token': DISCOVERY_TOKEN,
  zones: ZONES,
  audit: AUDIT,
  jobs: JOBS,
  backup: BACKUP_COMMANDS,
  cleanup: CLEAN_UP_COMMANDS,
  controllers: CONTROLLERS,
  keys: KEYS,
  'signing-keys': SIGNING_KEYS,
  'sign-in-blocks': SIGN_IN_BLOCKS,
  settings: SETTINGS,
  'second-factor': SECOND_FACTOR,
  geoip: GEOIP,
  'threat-feeds': THREAT_FEEDS,
  storage: STORAGE,
};
