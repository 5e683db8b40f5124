import {
  apiTokenRoutes,
  auditRoutes,
  backupRoutes,
  cleanUpRoutes,
  clientRoutes,
  controllerRoutes,
  discoveryTokenRoutes,
  enrolmentRoutes,
  geoipRoutes,
  groupRoutes,
  jobRoutes,
  keyRoutes,
  licenseRoutes,
  overviewRoutes,
  permissionRoutes,
  policyRoutes,
  profileRoutes,
  projectRoutes,
  type RouteContract,
  serviceRoutes,
  settingRoutes,
  shieldEventRoutes,
  shieldTrialRoutes,
  storageRoutes,
  threatIntelRoutes,
  userRoutes,
  xdsRoutes,
  zoneSecretRoutes,
} from '@flotilla/contract';
import { type Places, ZONE } from './furnish.ts';
import { PROJECT } from './stage.ts';

/** A screen, or a state of one, that a URL restores. */
export interface Screen {
  /** Also of its picture. */
  readonly name: string;
  readonly path: string;
  /** Of level one. */
  readonly heading: string | RegExp;
  /** Without it the screen has nothing to show. */
  readonly needs: RouteContract;
  /** The open tab. */
  readonly tab?: string | RegExp;
  /** The dialog or drawer that the URL opens. */
  readonly dialog?: string | RegExp;
}

export const COLLECTIONS = {
  listeners: 'Listeners',
  routes: 'Routes',
  virtual_hosts: 'Virtual hosts',
  clusters: 'Clusters',
  endpoints: 'Endpoints',
  secrets: 'Secrets',
  filters: 'Filters',
  extensions: 'Extensions',
  bootstrap: 'Bootstraps',
} as const;

/** Every screen with its tabs, drawers and dialogs. */
export function listScreens(places: Places): readonly Screen[] {
  const base = `/p/${PROJECT}`;
  const service = `${base}/services/${places.service}`;
  const client = `${base}/clients/${places.client}`;
  const routes = `${base}/resources/routes/${places.version}/demo-routes`;
  const cluster = `${base}/resources/clusters/${places.version}/demo-upstream`;
  const serviceTab = (tab: string, label: string | RegExp = name(tab)) => ({
    name: `service-${tab}`,
    path: `${service}?tab=${tab}`,
    heading: /^demo/,
    needs: serviceRoutes.detail,
    tab: label,
  });
  const clientTab = (tab: string) => ({
    name: `client-${tab}`,
    path: `${client}?tab=${tab}`,
    heading: /./,
    needs: clientRoutes.read,
    tab: name(tab),
  });
  return [
    { name: 'overview', path: `${base}/overview`, heading: 'Overview', needs: overviewRoutes.read },

    { name: 'clients', path: `${base}/clients`, heading: 'Clients', needs: clientRoutes.list },
    {
      name: 'clients-enrolment',
      path: `${base}/clients?tab=enrolment`,
      heading: 'Clients',
      needs: enrolmentRoutes.listTokens,
      tab: 'Enrolment tokens',
    },
    {
      name: 'client-enrol',
      path: `${base}/clients?enrol=new`,
      heading: 'Clients',
      needs: enrolmentRoutes.createToken,
      dialog: /Enrol/,
    },
    clientTab('overview'),
    clientTab('statistics'),
    clientTab('commands'),
    clientTab('versions'),
    {
      name: 'client-command',
      path: `${client}?tab=commands&command=${places.command}`,
      heading: /./,
      needs: clientRoutes.read,
      dialog: /./,
    },

    { name: 'services', path: `${base}/services`, heading: 'Services', needs: serviceRoutes.list },
    { name: 'service-new', path: `${base}/services/new`, heading: 'New service', needs: serviceRoutes.create },
    { name: 'service-edit', path: `${service}/edit`, heading: /demo/, needs: serviceRoutes.patch },
    serviceTab('overview'),
    serviceTab('nodes', /^Nodes/),
    serviceTab('errors', /^Errors/),
    {
      name: 'service-error',
      path: `${service}?tab=errors&error=${places.error}`,
      heading: /^demo/,
      needs: serviceRoutes.detail,
      dialog: /./,
    },
    serviceTab('document'),
    {
      name: 'service-revision',
      path: `${service}?tab=document&rev=1`,
      heading: /^demo/,
      needs: serviceRoutes.detail,
      tab: 'Document',
    },
    serviceTab('configuration'),
    serviceTab('graph'),
    { ...serviceTab('graph'), name: 'service-graph-list', path: `${service}?tab=graph&view=list` },
    serviceTab('logs'),
    {
      name: 'service-undeploy',
      path: `${service}?do=undeploy`,
      heading: /^demo/,
      needs: serviceRoutes.patch,
      dialog: /./,
    },

    ...Object.entries(COLLECTIONS).map(([collection, heading]) => ({
      name: `list-${collection}`,
      path: `${base}/resources/${collection}`,
      heading,
      needs: xdsRoutes.list,
    })),
    {
      name: 'new-cluster',
      path: `${base}/resources/clusters/new`,
      heading: 'New cluster',
      needs: xdsRoutes.create,
    },
    {
      name: 'new-filter',
      path: `${base}/resources/filters/new`,
      heading: 'New filter',
      needs: xdsRoutes.create,
    },
    {
      name: 'copied-cluster',
      path: `${base}/resources/clusters/new?copy=demo-upstream&from=${places.version}&version=${places.version}`,
      heading: 'New cluster',
      needs: xdsRoutes.create,
    },
    { name: 'cluster-form', path: cluster, heading: /^demo-upstream/, needs: xdsRoutes.get, tab: 'Cluster' },
    { name: 'cluster-yaml', path: `${cluster}?view=yaml`, heading: /^demo-upstream/, needs: xdsRoutes.get },
    { name: 'cluster-json', path: `${cluster}?view=json`, heading: /^demo-upstream/, needs: xdsRoutes.get },
    {
      name: 'listener-form',
      path: `${base}/resources/listeners/${places.version}/demo-listener`,
      heading: /^demo-listener/,
      needs: xdsRoutes.get,
    },
    {
      name: 'document-uses',
      path: `${routes}?tab=uses`,
      heading: /^demo-routes/,
      needs: xdsRoutes.get,
      tab: 'Uses and users',
    },
    {
      name: 'document-history',
      path: `${routes}?tab=history`,
      heading: /^demo-routes/,
      needs: xdsRoutes.get,
      tab: 'History',
    },
    {
      name: 'document-progress',
      path: `${routes}?rollout=2`,
      heading: /^demo-routes/,
      needs: xdsRoutes.get,
    },

    { name: 'groups', path: `${base}/groups`, heading: 'Groups', needs: groupRoutes.list },
    {
      name: 'group-new',
      path: `${base}/groups?create=group`,
      heading: 'Groups',
      needs: groupRoutes.create,
      dialog: 'Make a group',
    },
    {
      name: 'group',
      path: `${base}/groups?group=${places.group}`,
      heading: 'Groups',
      needs: groupRoutes.get,
      dialog: 'Members',
    },
    { name: 'permissions', path: `${base}/permissions`, heading: 'Permissions', needs: permissionRoutes.list },
    {
      name: 'permissions-services',
      path: `${base}/permissions?tab=service`,
      heading: 'Permissions',
      needs: permissionRoutes.list,
      tab: 'Services',
    },

    { name: 'policies', path: `${base}/policies`, heading: 'Policies', needs: policyRoutes.list },
    { name: 'policy-new', path: `${base}/policies/new`, heading: 'New policy', needs: policyRoutes.create },
    { name: 'policy', path: `${base}/policies/demo-policy`, heading: /^demo-policy/, needs: policyRoutes.get },
    ...['structure', 'nodes', 'traffic'].map((tab) => ({
      name: `policy-${tab}`,
      path: `${base}/policies/demo-policy?tab=${tab}`,
      heading: /^demo-policy/,
      needs: policyRoutes.get,
      tab: name(tab),
    })),
    {
      name: 'policy-try',
      path: `${base}/policies/demo-policy?tab=try&url=https://example.com/api/`,
      heading: /^demo-policy/,
      needs: shieldTrialRoutes.try,
      tab: 'Try a request',
    },
    ...['defaults', 'd0', 'd0.r0', 'd0.r1'].map((at) => ({
      name: `policy-form-${at}`,
      path: `${base}/policies/demo-policy?at=${at}`,
      heading: /^demo-policy/,
      needs: policyRoutes.get,
    })),
    {
      name: 'policy-saved',
      path: `${base}/policies/demo-policy?saved=2`,
      heading: /^demo-policy/,
      needs: policyRoutes.get,
    },
    {
      name: 'policy-history',
      path: `${base}/policies/demo-policy?tab=history`,
      heading: /^demo-policy/,
      needs: policyRoutes.get,
      tab: 'History',
    },

    {
      name: 'shield-events',
      path: `${base}/shield/events`,
      heading: 'Filter events',
      needs: shieldEventRoutes.list,
    },
    {
      name: 'shield-try',
      path: `${base}/shield/try?service=${places.service}&url=https://example.com/limited/`,
      heading: 'Try a request',
      needs: shieldTrialRoutes.try,
    },

    { name: 'jobs', path: `${base}/jobs`, heading: 'Jobs', needs: jobRoutes.list },
    {
      name: 'job-schedules',
      path: `${base}/jobs?tab=schedules`,
      heading: 'Jobs',
      needs: jobRoutes.schedules,
      tab: 'Schedules',
    },
    {
      name: 'job-workers',
      path: `${base}/jobs?tab=workers`,
      heading: 'Jobs',
      needs: jobRoutes.workers,
      tab: 'Workers',
    },
    { name: 'job', path: `${base}/jobs/${places.job}`, heading: /^Job \d/, needs: jobRoutes.get },
    { name: 'job-missing', path: `${base}/jobs/999999`, heading: 'Job', needs: jobRoutes.list },
    { name: 'audit', path: `${base}/audit`, heading: 'Audit log', needs: auditRoutes.list },
    {
      name: 'audit-entry',
      path: `${base}/audit?entry=${places.auditEntry}`,
      heading: 'Audit log',
      needs: auditRoutes.list,
      dialog: /./,
    },
    { name: 'users', path: `${base}/users`, heading: 'Users', needs: userRoutes.list },
    { name: 'users-all', path: `${base}/users?scope=all`, heading: 'Users', needs: projectRoutes.list },
    { name: 'user-add', path: `${base}/users?add=member`, heading: 'Users', needs: userRoutes.addMember, dialog: /./ },
    { name: 'user-new', path: `${base}/users?add=account`, heading: 'Users', needs: userRoutes.create, dialog: /./ },
    { name: 'user', path: `${base}/users/${places.user}`, heading: /^ann/, needs: userRoutes.get },
    { name: 'tokens', path: `${base}/tokens`, heading: 'API tokens', needs: apiTokenRoutes.list },
    {
      name: 'token-create',
      path: `${base}/tokens?create=token`,
      heading: 'API tokens',
      needs: apiTokenRoutes.create,
      dialog: 'Create an API token',
    },
    {
      name: 'token-rotate',
      path: `${base}/tokens?rotate=${places.token}`,
      heading: 'API tokens',
      needs: apiTokenRoutes.rotate,
      dialog: 'Give the token a new secret',
    },
    {
      name: 'project-create',
      path: '/projects?create=project',
      heading: 'Projects',
      needs: projectRoutes.create,
      dialog: 'Create a project',
    },
    {
      name: 'project-edit',
      path: `/projects?edit=${places.emptyProject?.id}`,
      heading: 'Projects',
      needs: projectRoutes.patch,
      dialog: 'Edit the project',
    },
    {
      name: 'project-delete',
      path: `/projects?delete=${places.emptyProject?.id}`,
      heading: 'Projects',
      needs: projectRoutes.planDeletion,
      dialog: 'Delete the project',
    },
    { name: 'projects', path: '/projects', heading: 'Projects', needs: projectRoutes.list },
    { name: 'settings', path: '/settings', heading: 'General', needs: settingRoutes.kinds },
    ...(
      [
        ['sign-in', 'Sign-in'],
        ['tokens', 'Token rules'],
        ['ldap', 'LDAP directory'],
        ['oidc', 'OpenID Connect'],
        ['syslog', 'Syslog forwarding'],
        ['webhook', 'Webhook forwarding'],
        ['api-discovery', 'API discovery'],
        ['smtp', 'Mail'],
      ] as const
    ).map(([section, heading]) => ({
      name: `settings-${section}`,
      path: `/settings/${section}`,
      heading,
      needs: settingRoutes.get,
    })),
    {
      name: 'settings-oidc-add',
      path: '/settings/oidc?add=new',
      heading: 'OpenID Connect',
      needs: settingRoutes.replaceNamed,
    },
    { name: 'storage', path: '/settings/storage', heading: 'Storage', needs: storageRoutes.stats },
    { name: 'license', path: '/settings/license', heading: 'Licence', needs: licenseRoutes.get },
    ...(
      [
        ['otp', 'Second factor'],
        ['cloud', 'Clouds'],
        ['ai', 'Analysis'],
      ] as const
    ).map(([section, heading]) => ({
      name: `project-settings-${section}`,
      path: `${base}/settings/${section}`,
      heading,
      needs: settingRoutes.get,
    })),
    {
      name: 'cloud-add',
      path: `${base}/settings/cloud?add=new`,
      heading: 'Clouds',
      needs: settingRoutes.replaceNamed,
    },
    { name: 'backups', path: `${base}/settings/backups`, heading: 'Backups', needs: backupRoutes.list },
    {
      name: 'backup-make',
      path: `${base}/settings/backups?make=backup`,
      heading: 'Backups',
      needs: backupRoutes.export,
      dialog: 'Make a backup',
    },
    {
      name: 'backup-restore',
      path: `${base}/settings/backups?restore=upload`,
      heading: 'Backups',
      needs: backupRoutes.import,
      dialog: 'Restore into this project',
    },
    {
      name: 'backup-schedule',
      path: `${base}/settings/backups?schedule=new`,
      heading: 'Backups',
      needs: backupRoutes.list,
      dialog: 'Make backups by the clock',
    },
    { name: 'clean-up', path: `${base}/settings/clean-up`, heading: 'Clean-up', needs: cleanUpRoutes.preview },
    {
      name: 'installation-backups',
      path: '/settings/backups',
      heading: 'Backups',
      needs: storageRoutes.stats,
    },
    { name: 'threat-feeds', path: '/settings/threat-feeds', heading: 'Threat feeds', needs: threatIntelRoutes.upload },
    {
      name: 'threat-feed',
      path: `/settings/threat-feeds?feed=${places.feed}`,
      heading: 'Threat feeds',
      needs: threatIntelRoutes.upload,
      dialog: /^Entries of/,
    },
    {
      name: 'threat-feed-add',
      path: '/settings/threat-feeds?add=feed',
      heading: 'Threat feeds',
      needs: threatIntelRoutes.upload,
      dialog: 'Upload a feed',
    },
    { name: 'geoip', path: '/settings/geoip', heading: 'GeoIP', needs: geoipRoutes.upload },
    {
      name: 'geoip-fetch',
      path: '/settings/geoip?fetch=city',
      heading: 'GeoIP',
      needs: geoipRoutes.download,
      dialog: 'City database: fetch it',
    },
    { name: 'keys', path: '/settings/keys', heading: 'Keys', needs: keyRoutes.list },
    ...(
      [
        ['data', 'Make a new data key?'],
        ['master', 'Change the master key'],
        ['signing', 'Make a new signing key?'],
      ] as const
    ).map(([which, dialog]) => ({
      name: `key-${which}`,
      path: `/settings/keys?rotate=${which}`,
      heading: 'Keys',
      needs: keyRoutes.rotate,
      dialog,
    })),
    {
      name: 'discovery-token',
      path: `${base}/settings/discovery-token`,
      heading: 'Discovery token',
      needs: discoveryTokenRoutes.get,
    },
    {
      name: 'discovery-token-change',
      path: `${base}/settings/discovery-token?change=secret`,
      heading: 'Discovery token',
      needs: discoveryTokenRoutes.generate,
      dialog: 'Change the secret of the discovery token',
    },
    {
      name: 'zone-secrets',
      path: `${base}/settings/zone-secrets`,
      heading: 'Zone secrets',
      needs: zoneSecretRoutes.list,
    },
    {
      name: 'zone-secrets-add',
      path: `${base}/settings/zone-secrets?add=zone`,
      heading: 'Zone secrets',
      needs: zoneSecretRoutes.create,
      dialog: 'Make a secret for a zone',
    },
    {
      name: 'zone-secrets-change',
      path: `${base}/settings/zone-secrets?change=${ZONE}`,
      heading: 'Zone secrets',
      needs: zoneSecretRoutes.rotate,
      dialog: `Change the secret of ${ZONE}`,
    },
    { name: 'controllers', path: '/settings/controllers', heading: 'Controllers', needs: controllerRoutes.remove },
    { name: 'profile', path: '/profile', heading: /./, needs: profileRoutes.get },
  ];
}

function name(tab: string): string {
  return `${tab[0]?.toUpperCase()}${tab.slice(1)}`;
}
