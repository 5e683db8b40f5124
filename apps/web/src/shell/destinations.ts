import type { LinkProps } from '@tanstack/react-router';
import { type RouteRef, routes } from '../api/index.ts';
import { texts } from '../texts/index.ts';

const text = texts.shell.destinations;

export interface Destination {
  readonly label: string;
  readonly to: LinkProps['to'];
  readonly params?: Readonly<Record<string, string>>;
  /** Shown to those who may call it. */
  readonly needs: Pick<RouteRef, 'id' | 'access'>;
  /** Other words by which the palette finds it. */
  readonly words?: string;
}

export interface Area {
  readonly label: string | undefined;
  readonly destinations: readonly Destination[];
}

const COLLECTIONS = [
  ['listeners', text.collections.itemListeners],
  ['routes', text.collections.itemRoutes],
  ['virtual_hosts', text.collections.itemVirtualHosts],
  ['clusters', text.collections.itemClusters],
  ['endpoints', text.collections.itemEndpoints],
  ['secrets', text.collections.itemSecrets],
  ['filters', text.collections.itemFilters],
  ['extensions', text.collections.itemExtensions],
  ['bootstrap', text.collections.itemBootstraps],
] as const;

export type CollectionName = (typeof COLLECTIONS)[number][0];
export const COLLECTION_LABELS: Readonly<Record<CollectionName, string>> = Object.fromEntries(COLLECTIONS) as Record<
  CollectionName,
  string
>;

/** Where one may go in a project. Only what exists is named. */
export const PROJECT_AREAS: readonly Area[] = [
  {
    label: undefined,
    destinations: [
      {
        label: text.projectAreas.labelOverview,
        to: '/p/$project/overview',
        needs: routes.overview.read,
        words: text.projectAreas.wordsOverview,
      },
      {
        label: text.projectAreas.labelServices,
        to: '/p/$project/services',
        needs: routes.service.list,
        words: 'deployments',
      },
      {
        label: text.projectAreas.labelClients,
        to: '/p/$project/clients',
        needs: routes.client.list,
        words: text.projectAreas.wordsClients,
      },
    ],
  },
  {
    label: text.projectAreas.labelConfiguration,
    destinations: COLLECTIONS.map(([collection, label]) => ({
      label,
      to: '/p/$project/resources/$collection' as const,
      params: { collection },
      needs: routes.xds.list,
      words: text.projectAreas.words,
    })),
  },
  {
    label: text.projectAreas.labelSecurity,
    destinations: [
      {
        label: text.projectAreas.labelPolicies,
        to: '/p/$project/policies',
        needs: routes.policy.list,
        words: text.projectAreas.wordsPolicies,
      },
      {
        label: text.projectAreas.labelFilterEvents,
        to: '/p/$project/shield/events',
        needs: routes.shieldEvent.list,
        words: text.projectAreas.wordsFilterEvents,
      },
    ],
  },
  {
    label: text.projectAreas.labelAdministration,
    destinations: [
      {
        label: text.projectAreas.labelJobs,
        to: '/p/$project/jobs',
        needs: routes.job.list,
        words: text.projectAreas.wordsJobs,
      },
      {
        label: text.projectAreas.labelAuditLog,
        to: '/p/$project/audit',
        needs: routes.audit.list,
        words: text.projectAreas.wordsAuditLog,
      },
      {
        label: text.projectAreas.labelUsers,
        to: '/p/$project/users',
        needs: routes.user.list,
        words: text.projectAreas.wordsUsers,
      },
      {
        label: text.projectAreas.labelGroups,
        to: '/p/$project/groups',
        needs: routes.group.list,
        words: text.projectAreas.wordsGroups,
      },
      {
        label: text.projectAreas.labelPermissions,
        to: '/p/$project/permissions',
        needs: routes.permission.list,
        words: text.projectAreas.wordsPermissions,
      },
      {
        label: text.projectAreas.labelApiTokens,
        to: '/p/$project/tokens',
        needs: routes.apiToken.list,
        words: 'automation',
      },
      {
        label: text.projectAreas.labelProjectSettings,
        to: '/p/$project/settings',
        needs: routes.setting.kinds,
        words: 'configure',
      },
    ],
  },
];

/** What belongs to the installation. */
export const INSTALLATION: readonly Destination[] = [
  { label: text.installation.labelProjects, to: '/projects', needs: routes.project.list, words: 'tenants' },
  {
    label: text.installation.labelSettings,
    to: '/settings',
    needs: routes.setting.kinds,
    words: text.installation.wordsSettings,
  },
];
