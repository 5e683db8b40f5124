import type { LinkProps } from '@tanstack/react-router';
import { type RouteRef, routes } from '../api/index.ts';
import { texts } from '../texts/index.ts';

const text = texts.shell.destinations;

export interface Destination {
  readonly label: string;
  readonly to: LinkProps['to'];
  readonly params?: Readonly<Record<string, string>>;
  /** Shown with permission for this route. */
  readonly needs: Pick<RouteRef, 'id' | 'access'>;
  /** Additional search words for the palette. */
  readonly words?: string;
}

export interface Area {
  readonly label: string | undefined;
  readonly destinations: readonly Destination[];
}

const COLLECTIONS = [
  ['listeners', text.collections.listeners],
  ['routes', text.collections.routes],
  ['virtual_hosts', text.collections.virtualHosts],
  ['clusters', text.collections.clusters],
  ['endpoints', text.collections.endpoints],
  ['secrets', text.collections.secrets],
  ['filters', text.collections.filters],
  ['extensions', text.collections.extensions],
  ['bootstrap', text.collections.bootstraps],
] as const;

export type CollectionName = (typeof COLLECTIONS)[number][0];
export const COLLECTION_LABELS: Readonly<Record<CollectionName, string>> = Object.fromEntries(COLLECTIONS) as Record<
  CollectionName,
  string
>;

/** Destinations in a project. */
export const PROJECT_AREAS: readonly Area[] = [
  {
    label: undefined,
    destinations: [
      {
        label: text.projectAreas.overview,
        to: '/p/$project/overview',
        needs: routes.overview.read,
        words: text.projectAreas.overviewFinds,
      },
      {
        label: text.projectAreas.services,
        to: '/p/$project/services',
        needs: routes.fleet.services,
        words: 'deployments',
      },
      {
        label: text.projectAreas.clients,
        to: '/p/$project/clients',
        needs: routes.fleet.clients,
        words: text.projectAreas.clientsFinds,
      },
    ],
  },
  {
    label: text.projectAreas.configuration,
    destinations: COLLECTIONS.map(([collection, label]) => ({
      label,
      to: '/p/$project/resources/$collection' as const,
      params: { collection },
      needs: routes.xds.list,
      words: text.projectAreas.configurationFinds,
    })),
  },
  {
    label: text.projectAreas.security,
    destinations: [
      {
        label: text.projectAreas.policies,
        to: '/p/$project/policies',
        needs: routes.policy.list,
        words: text.projectAreas.policiesFinds,
      },
      {
        label: text.projectAreas.shieldEvents,
        to: '/p/$project/shield/events',
        needs: routes.shieldEvent.list,
        words: text.projectAreas.shieldEventsFinds,
      },
    ],
  },
  {
    label: text.projectAreas.administration,
    destinations: [
      {
        label: text.projectAreas.jobs,
        to: '/p/$project/jobs',
        needs: routes.job.list,
        words: text.projectAreas.jobsFinds,
      },
      {
        label: text.projectAreas.auditLog,
        to: '/p/$project/audit',
        needs: routes.audit.list,
        words: text.projectAreas.auditLogFinds,
      },
      {
        label: text.projectAreas.users,
        to: '/p/$project/users',
        needs: routes.user.list,
        words: text.projectAreas.usersFinds,
      },
      {
        label: text.projectAreas.groups,
        to: '/p/$project/groups',
        needs: routes.group.list,
        words: text.projectAreas.groupsFinds,
      },
      {
        label: text.projectAreas.permissions,
        to: '/p/$project/permissions',
        needs: routes.permission.list,
        words: text.projectAreas.permissionsFinds,
      },
      {
        label: text.projectAreas.tokens,
        to: '/p/$project/tokens',
        needs: routes.apiToken.list,
        words: 'automation',
      },
      {
        label: text.projectAreas.projectSettings,
        to: '/p/$project/settings',
        needs: routes.setting.kinds,
        words: 'configure',
      },
    ],
  },
];

/** Destinations in the installation. */
export const INSTALLATION: readonly Destination[] = [
  { label: text.installation.projects, to: '/projects', needs: routes.project.list, words: 'tenants' },
  {
    label: text.installation.settings,
    to: '/settings',
    needs: routes.setting.kinds,
    words: text.installation.settingsFinds,
  },
];
