import type { LinkProps } from '@tanstack/react-router';
import { type RouteRef, routes } from '../api/index.ts';

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
  ['listeners', 'Listeners'],
  ['routes', 'Routes'],
  ['virtual_hosts', 'Virtual hosts'],
  ['clusters', 'Clusters'],
  ['endpoints', 'Endpoints'],
  ['secrets', 'Secrets'],
  ['filters', 'Filters'],
  ['extensions', 'Extensions'],
  ['bootstrap', 'Bootstraps'],
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
      { label: 'Overview', to: '/p/$project/overview', needs: routes.overview.read, words: 'home start' },
      { label: 'Services', to: '/p/$project/services', needs: routes.service.list, words: 'deployments' },
      { label: 'Clients', to: '/p/$project/clients', needs: routes.client.list, words: 'nodes hosts agents enrol' },
    ],
  },
  {
    label: 'Configuration',
    destinations: COLLECTIONS.map(([collection, label]) => ({
      label,
      to: '/p/$project/resources/$collection' as const,
      params: { collection },
      needs: routes.xds.list,
      words: 'resources documents envoy xds',
    })),
  },
  {
    label: 'Security',
    destinations: [
      { label: 'Policies', to: '/p/$project/policies', needs: routes.policy.list, words: 'shield filter engines' },
      {
        label: 'Filter events',
        to: '/p/$project/shield/events',
        needs: routes.shieldEvent.list,
        words: 'shield blocked detected findings attacks',
      },
    ],
  },
  {
    label: 'Administration',
    destinations: [
      { label: 'Jobs', to: '/p/$project/jobs', needs: routes.job.list, words: 'work progress queue backups' },
      { label: 'Audit log', to: '/p/$project/audit', needs: routes.audit.list, words: 'activity history' },
      { label: 'Users', to: '/p/$project/users', needs: routes.user.list, words: 'members people roles' },
      { label: 'Groups', to: '/p/$project/groups', needs: routes.group.list, words: 'teams members' },
      {
        label: 'Permissions',
        to: '/p/$project/permissions',
        needs: routes.permission.list,
        words: 'access rights reach matrix listed',
      },
      { label: 'API tokens', to: '/p/$project/tokens', needs: routes.apiToken.list, words: 'automation' },
      { label: 'Project settings', to: '/p/$project/settings', needs: routes.setting.kinds, words: 'configure' },
    ],
  },
];

/** What belongs to the installation. */
export const INSTALLATION: readonly Destination[] = [
  { label: 'Projects', to: '/projects', needs: routes.project.list, words: 'tenants' },
  { label: 'Settings', to: '/settings', needs: routes.setting.kinds, words: 'configure installation system' },
];
