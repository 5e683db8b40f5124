import {
  AUDIT_OUTCOMES,
  CLEAN_UP_MODES,
  COLLECTIONS,
  COMMAND_OUTCOMES,
  GEOIP_KINDS,
  JOB_STATUSES,
  LEVELS,
  RESOURCE_ACCESS,
  RESOURCE_KINDS,
  ROLES,
  ROUTE_FAMILIES,
  SEARCH_KINDS,
  SHIELD_EVENT_VERDICTS,
  SHIELD_SEVERITIES,
} from '@flotilla/contract';
import { listHolds } from '../commands/audit-keeping.ts';
import { listBackups } from '../commands/backup.ts';
import { listEnrolmentTokens } from '../commands/enrolment.ts';
import { listUsers } from '../commands/find-user.ts';
import { listGroups } from '../commands/groups.ts';
import { listJobTypes } from '../commands/job-queue.ts';
import { listSchedules } from '../commands/job-schedules.ts';
import { listJobs } from '../commands/jobs.ts';
import { listOwnSessions } from '../commands/live-sessions.ts';
import { readCapabilities } from '../commands/may.ts';
import { listPermissions } from '../commands/permissions.ts';
import { readStarters } from '../commands/projects.ts';
import { SECOND_FACTOR_MODES } from '../commands/second-factor.ts';
import { listSettingKinds } from '../commands/settings.ts';
import { listSignInBlocks } from '../commands/sign-in-blocks.ts';
import { readThreatIntel } from '../commands/threat-feeds.ts';
import { listTokens } from '../commands/tokens.ts';
import { listZoneSecrets } from '../commands/zones.ts';
import { listClients, listDocuments, listPolicies, listServices, type Scope } from '../records.ts';

/** What was typed before the word. */
export interface Typed {
  readonly args: readonly string[];
  readonly options: ReadonlyMap<string, string>;
}

type List = (scope: Scope, typed: Typed) => Promise<readonly string[]>;

/** Where the candidates for a word come from. free: what is new, or only the person knows. */
export type Source =
  | { readonly kind: 'choices'; readonly values: readonly string[] }
  | { readonly kind: 'names'; readonly list: List }
  /** Those of the person; no project needs to be chosen for it. */
  | { readonly kind: 'projects' }
  | { readonly kind: 'files' }
  | { readonly kind: 'free' };

const FILES: Source = { kind: 'files' };
const FREE: Source = { kind: 'free' };
const choices = (values: readonly string[]): Source => ({ kind: 'choices', values });
const names = (list: List): Source => ({ kind: 'names', list });

const services = names(async (scope) => (await listServices(scope)).map(({ name }) => name));
const clients = names(async (scope) => (await listClients(scope)).map(({ name }) => name));
const policies = names(async (scope) => (await listPolicies(scope)).map(({ name }) => name));
const users = names(async (scope) => (await listUsers(scope)).map(({ username }) => username));
const groups = names(async (scope) => (await listGroups(scope)).map(({ name }) => name));
const enrolmentTokens = names(async (scope) =>
  (await listEnrolmentTokens(scope, 'open')).flatMap(({ note, id }) => (note === null ? [id] : [note, id])),
);
const jobTypes = names(async (scope) => (await listJobTypes(scope)).map(({ type }) => type));
const projects: Source = { kind: 'projects' };
/** Of the collection that stands before it. */
const records = names(async (scope, typed) => {
  const [kind] = typed.args;
  if (kind === 'services') return (await listServices(scope)).map(({ name }) => name);
  if (kind === 'clients') return (await listClients(scope)).map(({ name }) => name);
  if (kind === 'policies') return (await listPolicies(scope)).map(({ name }) => name);
  const collection = COLLECTIONS.find((one) => one === kind);
  if (!collection) return [];
  const found = await listDocuments(scope, collection, { version: typed.options.get('--version') });
  return [...new Set(found.map(({ name }) => name))];
});
/** What a permission is on: of the kind that stands before it. */
const listResources: List = async (scope, { args: [kind] }) => {
  if (kind === 'service') return (await listServices(scope)).map(({ name }) => name);
  if (kind === 'policy') return (await listPolicies(scope)).map(({ name }) => name);
  if (kind === 'client') return (await listClients(scope)).map(({ name }) => name);
  return [];
};
const resources = names(async (scope, typed) => ['*', ...(await listResources(scope, typed))]);

/** By command and name (`jobs list --status`, `get name`); else by the name alone (`--service`, `user`). */
const SOURCES: Readonly<Record<string, Source>> = {
  service: services,
  user: users,
  group: groups,
  project: projects,
  token: names(async (scope) => (await listTokens(scope)).map(({ name }) => name)),
  zone: names(async (scope) => (await listZoneSecrets(scope)).map(({ zone }) => zone)),
  address: names(async ({ connection }) => (await listSignInBlocks(connection)).map(({ address }) => address)),
  backup: names(async (scope) => (await listBackups(scope)).map(({ id }) => id)),
  job: names(async (scope) => (await listJobs(scope)).map(({ number }) => String(number))),
  schedule: names(async (scope) => (await listSchedules(scope)).map(({ name }) => name)),
  hold: names(async ({ connection }) => (await listHolds(connection)).map(({ id }) => id)),
  permission: names(async (scope) => (await listPermissions(scope)).map(({ id }) => id)),
  feed: names(async (scope) => (await readThreatIntel(scope)).feeds.map(({ name }) => name)),
  database: choices(GEOIP_KINDS),
  operation: names(async (scope) => (await readCapabilities(scope)).routes),
  file: FILES,
  '--project': projects,
  '--service': services,
  '--client': clients,
  '--policy': policies,
  '--user': users,
  '--group': groups,
  '--role': choices(ROLES),
  '--family': choices(ROUTE_FAMILIES),
  '--outcome': choices(AUDIT_OUTCOMES),
  '--verdict': choices(SHIELD_EVENT_VERDICTS),
  '--severity': choices(SHIELD_SEVERITIES),
  '--expect': choices(['allowed', 'blocked']),
  '--mode': choices(CLEAN_UP_MODES),
  '--kind': choices(RESOURCE_KINDS),
  '--filename': FILES,
  '--file': FILES,
  '--cache': FILES,
  '--out': FILES,
  '--request': FILES,
  'get name': records,
  'delete name': records,
  'history name': records,
  'revert name': records,
  'rollout name': records,
  'dependencies name': records,
  'commands list --outcome': choices(COMMAND_OUTCOMES),
  'search --kind': choices(SEARCH_KINDS),
  'services name': services,
  'policies name': policies,
  'clients delete name': clients,
  'enrolment get token': enrolmentTokens,
  'enrolment rotate token': enrolmentTokens,
  'enrolment withdraw token': enrolmentTokens,
  'permissions grant kind': choices(RESOURCE_KINDS),
  'permissions revoke kind': choices(RESOURCE_KINDS),
  'permissions grant what': resources,
  'permissions revoke what': resources,
  'permissions grant level': choices(LEVELS),
  'permissions reach kind': choices(RESOURCE_KINDS),
  'permissions reach what': names(listResources),
  'permissions access mode': choices(RESOURCE_ACCESS),
  'second-factor mode': choices(SECOND_FACTOR_MODES),
  'keys rotate key': choices(['data', 'master']),
  'sessions end session': names(async ({ connection }) => (await listOwnSessions(connection)).map(({ id }) => id)),
  'users role role': choices(ROLES),
  kind: names(async (scope) => (await listSettingKinds(scope)).map(({ key }) => key)),
  'projects create --starters': names(async ({ connection }) => ['none', ...(await readStarters(connection)).versions]),
  'services --status': choices(['Live', 'Partial', 'Offline', 'Not_Deployed']),
  'jobs list --status': choices(JOB_STATUSES),
  'jobs list --type': jobTypes,
  'jobs schedules create --type': jobTypes,
  'audit export --format': choices(['ndjson', 'csv']),
  'replay --format': choices(['jsonl', 'har', 'envoy']),
};

/** Typed by hand: names of what is made, ids, times, texts, addresses. */
const TYPED = new Set([
  'name',
  'id',
  'url',
  'type',
  'version',
  'revision',
  'text',
  'session',
  'clean-up',
  'controller',
  'field=value',
  'place',
  '--url',
  '--username',
  '--otp',
  '--realm',
  '--version',
  '--confirm',
  '--sha256',
  '--name',
  '--revision',
  '--label',
  '--query',
  '--note',
  '--ttl',
  '--engine',
  '--reason',
  '--method',
  '--host',
  '--path',
  '--subject',
  '--source',
  '--source-ip',
  '--request-id',
  '--since',
  '--until',
  '--limit',
  '--top',
  '--header',
  '--body',
  '--baseline',
  '--wait',
  '--sub-type',
  '--description',
  '--email',
  '--expires',
  '--overlap',
  '--action',
  '--resource-type',
  '--resource-id',
  '--type',
  '--digest',
  '--plan',
  '--section',
  '--record',
  '--suffix',
  '--trust-key',
  '--secret-stdin',
  '--cron',
  '--time-zone',
  '--params',
]);

/**
 * The source of an argument (`name`) or option (`--name`) of a command; undefined for one that nobody has thought of.
 * `command`: its words, as in `tokens create`.
 */
export function findSource(command: string, name: string): Source | undefined {
  return SOURCES[`${command} ${name}`] ?? SOURCES[name] ?? (TYPED.has(name) ? FREE : undefined);
}
