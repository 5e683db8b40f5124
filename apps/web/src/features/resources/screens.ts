import {
  IconCertificate,
  IconFilter,
  IconPlugConnected,
  IconPuzzle,
  IconRocket,
  IconRoute,
  IconServer2,
  IconSitemap,
  IconWorld,
} from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';
import { COLLECTION_LABELS } from './collection-texts.ts';

const COLLECTIONS = [
  { collection: 'listeners', noun: 'a listener', icon: IconPlugConnected, goKey: 'l' },
  { collection: 'routes', noun: 'a route configuration', icon: IconRoute, goKey: 'r' },
  { collection: 'virtual_hosts', noun: 'a virtual host', icon: IconWorld, goKey: 'v' },
  { collection: 'clusters', noun: 'a cluster', icon: IconServer2, goKey: 'u' },
  { collection: 'endpoints', noun: 'endpoints', icon: IconSitemap, goKey: 'n' },
  { collection: 'secrets', noun: 'a secret', icon: IconCertificate, goKey: 'x' },
  { collection: 'filters', noun: 'a filter', icon: IconFilter, goKey: 'f' },
  { collection: 'extensions', noun: 'an extension', icon: IconPuzzle },
  { collection: 'bootstrap', noun: 'a bootstrap', icon: IconRocket, goKey: 'b' },
] as const;

export const screens = defineScreens({
  pages: {
    '/p/$project/resources/$collection': lazyRouteComponent(() => import('./resources-page.tsx'), 'ResourcesPage'),
    '/p/$project/resources/$collection/new': lazyRouteComponent(
      () => import('./new-resource-page.tsx'),
      'NewResourcePage',
    ),
    '/p/$project/resources/$collection/$version/$name': lazyRouteComponent(
      () => import('./resource-page.tsx'),
      'ResourcePage',
    ),
  },
  links: COLLECTIONS.map(({ collection, noun, ...link }, order) => ({
    ...link,
    area: 'configuration',
    order,
    label: COLLECTION_LABELS[collection],
    to: '/p/$project/resources/$collection' as const,
    params: { collection },
    needs: routes.xds.list,
    words: 'resources documents envoy xds',
  })),
  actions: [
    ...COLLECTIONS.map(({ collection, noun }) => ({
      label: `Create ${noun}`,
      to: '/p/$project/resources/$collection/new' as const,
      params: { collection },
      needs: routes.xds.create,
      words: 'add new resource',
    })),
    {
      label: 'Certificates and keys',
      to: '/p/$project/resources/$collection',
      params: { collection: 'secrets' },
      needs: routes.xds.list,
      words: 'tls ssl secrets expiry end',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    resources: typeof screens;
  }
}
