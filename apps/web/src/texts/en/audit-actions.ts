/**
 * What an entry of the audit log says was done, or was tried: the first word is a verb, which `did` puts into the past. In
 * braces what it was done to, for where the entry does not tell the kind of it.
 */
const ACTIONS: Readonly<Record<string, string>> = {
  'api_token.create': 'create API token',
  'api_token.delete': 'delete API token',
  'api_token.rotate': 'rotate API token',
  'api_token.update': 'change API token',
  'audit.export': 'export the audit log',
  'audit.prune': 'prune old audit entries',
  'audit_hold.create': 'hold audit entries',
  'audit_hold.release': 'release held audit entries',
  'backup.delete': 'delete backup',
  'backup.download': 'download backup',
  'backup.export': 'create backup',
  'backup.import': 'request the restore of backup',
  'backup.rebuild': 'rebuild the installation from backup',
  'backup.restore': 'restore backup',
  'backup.upload': 'upload backup',
  'backup.validate': 'check backup',
  'client.connect': 'connect client',
  'client.delete': 'remove client',
  'client.enrol': 'enrol client',
  'client.renew': 'renew the certificate of client',
  'command.dispatch': 'send a command to {client}',
  'command.end': 'finish command',
  'config_error.clear': 'clear configuration errors of {service}',
  'config_error.resolve': 'resolve configuration errors of {service}',
  'controller.remove': 'remove controller',
  'discovery_token.delete': 'delete discovery token',
  'discovery_token.generate': 'generate a secret for discovery token',
  'document.apply': 'apply {documents}',
  'document.create': 'create {document}',
  'document.delete': 'delete {document}',
  'document.patch': 'change part of {document}',
  'document.replace': 'change {document}',
  'document.restore': 'restore {document}',
  'enrolment_token.create': 'create enrolment token',
  'enrolment_token.delete': 'revoke enrolment token',
  'enrolment_token.rotate': 'rotate enrolment token',
  'factor.backup_codes': 'generate new backup codes',
  'factor.enforce': 'change the rule for second factors',
  'factor.enrol': 'set up an authenticator',
  'factor.off': 'disable own second factor',
  'factor.on': 'enable own second factor',
  'factor.reset': 'reset the second factor of user',
  'geoip.delete': 'delete GeoIP database',
  'geoip.download': 'fetch GeoIP database',
  'geoip.upload': 'upload GeoIP database',
  'group.create': 'create group',
  'group.delete': 'delete group',
  'group.member_add': 'add a member to group',
  'group.member_remove': 'remove a member from group',
  'group.update': 'change group',
  'job.cancel': 'cancel job',
  'job.end': 'finish job',
  'job.requeue': 'requeue job',
  'job.retry': 'retry job',
  'job.start': 'start job',
  'job_schedule.create': 'create schedule',
  'job_schedule.delete': 'delete schedule',
  'job_schedule.update': 'change schedule',
  'key.rotate': 'rotate key',
  'license.activate': 'activate a license',
  'license.delete': 'remove the license',
  'invitation.accept': 'accept an invitation as user',
  'invitation.account': 'record the account of invitation',
  'invitation.decline': 'decline invitation',
  'invitation.withdraw': 'withdraw invitation',
  'membership.create': 'add or invite {user}',
  'membership.delete': 'end the membership of user',
  'membership.update': 'change the role of user',
  'passkey.add': 'add own passkey',
  'passkey.ask': 'start sign-in with a passkey',
  'passkey.begin': 'start adding a passkey',
  'passkey.remove': 'remove own passkey',
  'passkey.rename': 'rename own passkey',
  'permission.change': 'change permissions on resource',
  'permission.grant': 'grant a permission on resource',
  'permission.revoke': 'revoke a permission on resource',
  'policy.create': 'create policy',
  'policy.delete': 'delete policy',
  'policy.patch': 'change part of policy',
  'policy.replace': 'change policy',
  'policy.restore': 'restore policy',
  'profile.email': 'change own e-mail address',
  'profile.password': 'change own password',
  'project.create': 'create project',
  'project.delete': 'delete project',
  'project.resource_access': 'change member access to project',
  'project.update': 'change project',
  'service.create': 'create service',
  'service.delete': 'delete service',
  'service.restore': 'restore service',
  'service.update': 'change service',
  'session.end': 'end sessions of user',
  'session.login': 'sign in',
  'session.logout': 'sign out',
  'session.refresh': 'renew a session',
  'setting.create': 'create setting',
  'setting.delete': 'reset setting',
  'setting.test': 'test setting',
  'setting.update': 'change setting',
  'sign_in_block.delete': 'unlock address',
  'signing_key.rotate': 'rotate signing key',
  'threat_feed.delete': 'delete threat feed',
  'threat_feed.upload': 'upload threat feed',
  'threat_intel.update': 'change the list of threat feeds',
  'user.back': 'reinstate user',
  'user.create': 'create user',
  'user.delete': 'delete user',
  'user.gone': 'sign out user',
  'user.unlock': 'unlock user',
  'user.update': 'change user',
  'version.clean_up': 'clean up proxy version',
  'version.purge_clean_up': 'purge removed documents of proxy version',
  'version.undo_clean_up': 'restore removed documents of proxy version',
  'xds.connect': 'connect a proxy of client',
  'xds.node_refused': 'connect as a proxy of another client',
  'zone_secret.create': 'create zone secret',
  'zone_secret.delete': 'revoke zone secret',
  'zone_secret.rotate': 'rotate zone secret',
};

/** Documents and others are called by what they hold. */
const NOUNS: Readonly<Record<string, string>> = {
  api_token: 'API token',
  bootstrap: 'bootstrap',
  clusters: 'cluster',
  endpoints: 'endpoints',
  extensions: 'extension',
  filters: 'filter',
  geoip: 'GeoIP database',
  job_schedule: 'schedule',
  listeners: 'listener',
  membership: 'user',
  routes: 'route configuration',
  secrets: 'secret',
  services: 'service',
  virtual_hosts: 'virtual host',
};

const IRREGULAR: Readonly<Record<string, string>> = {
  hold: 'held',
  rebuild: 'rebuilt',
  send: 'sent',
  set: 'set',
  withdraw: 'withdrew',
};

const DOUBLED: ReadonlySet<string> = new Set(['cancel', 'enrol', 'plan']);

/** About whoever does them, so that the name of what they are about says nothing more. */
const OWN: ReadonlySet<string> = new Set([
  'factor.backup_codes',
  'factor.enrol',
  'factor.off',
  'factor.on',
  'passkey.add',
  'passkey.ask',
  'passkey.begin',
  'passkey.remove',
  'passkey.rename',
  'profile.email',
  'profile.password',
  'session.login',
  'session.logout',
  'session.refresh',
]);

function inPast(words: string): string {
  return words.replace(/^\w+|(?<= or )\w+/g, (verb) => {
    const irregular = IRREGULAR[verb];
    if (irregular) return irregular;
    if (verb.endsWith('e')) return `${verb}d`;
    if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ied`;
    return DOUBLED.has(verb) ? `${verb}${verb.at(-1)}ed` : `${verb}ed`;
  });
}

function noun(type: string): string {
  return NOUNS[type] ?? type.replaceAll('_', ' ');
}

/** `newer.thing_done` -> `newer thing done`, `listAuditLog` -> `list audit log`. */
function spell(action: string): string {
  return action
    .replaceAll(/[._]/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);
}

function words(action: string, type: string | null | undefined): string | undefined {
  return ACTIONS[action]?.replace(/\{(.+)\}/, (_, unknown: string) => (type ? noun(type) : unknown));
}

/** Actions of the audit log and kinds of what they are about, in words. `type`: the kind, where it is known. */
export const auditActions = {
  noun,
  /** `create service`: also of what was refused. One that has no words here is spelled as its code. */
  toDo: (action: string, type?: string | null): string => words(action, type) ?? spell(action),
  /** `created service`: of what was done. */
  did: (action: string, type?: string | null): string => {
    const known = words(action, type);
    return known === undefined ? spell(action) : inPast(known);
  },
  isOwn: (action: string): boolean => OWN.has(action),
};
