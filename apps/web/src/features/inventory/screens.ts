import { IconChartHistogram } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/traffic': lazyRouteComponent(() => import('./overview/overview-page.tsx'), 'TrafficOverviewPage'),
    '/p/$project/traffic/endpoints': lazyRouteComponent(
      () => import('./endpoints/endpoints-page.tsx'),
      'EndpointsPage',
    ),
    '/p/$project/traffic/endpoints/$endpointId': lazyRouteComponent(
      () => import('./endpoint/endpoint-page.tsx'),
      'EndpointPage',
    ),
    '/p/$project/traffic/events': lazyRouteComponent(() => import('./events/events-page.tsx'), 'TrafficEventsPage'),
    '/p/$project/traffic/errors': lazyRouteComponent(() => import('./errors/errors-page.tsx'), 'ErrorsPage'),
    '/p/$project/traffic/compare': lazyRouteComponent(() => import('./compare/compare-page.tsx'), 'ComparePage'),
    '/p/$project/traffic/risk': lazyRouteComponent(() => import('./risk/risk-page.tsx'), 'RiskPage'),
    '/p/$project/traffic/consumers': lazyRouteComponent(
      () => import('./consumers/consumers-page.tsx'),
      'ConsumersPage',
    ),
    '/p/$project/traffic/consumers/$hash': lazyRouteComponent(
      () => import('./consumers/consumer-page.tsx'),
      'ConsumerPage',
    ),
  },
  links: [
    {
      area: 'top',
      order: 4,
      label: 'Traffic',
      icon: IconChartHistogram,
      goKey: 'm',
      to: '/p/$project/traffic',
      needs: routes.inventory.list,
      words: 'api inventory discovery analytics requests latency',
    },
  ],
  actions: [
    {
      label: 'API endpoints',
      to: '/p/$project/traffic/endpoints',
      needs: routes.inventory.list,
      words: 'inventory operations paths catalog attack surface listeners shadow clean up stale',
    },
    {
      label: 'Request events',
      to: '/p/$project/traffic/events',
      needs: routes.inventory.list,
      words: 'requests log live tail explorer',
    },
    {
      label: 'API risk and security score',
      to: '/p/$project/traffic/risk',
      needs: routes.inventory.list,
      words: 'findings flags zombies sensitive data transport authentication new apis scanners bots',
    },
    {
      label: 'API errors',
      to: '/p/$project/traffic/errors',
      needs: routes.inventory.list,
      words: 'failing endpoints 4xx 5xx hot spots',
    },
    {
      label: 'Compare traffic',
      to: '/p/$project/traffic/compare',
      needs: routes.inventory.list,
      words: 'this week last week difference new gone endpoints',
    },
    {
      label: 'API consumers',
      to: '/p/$project/traffic/consumers',
      needs: routes.inventory.list,
      words: 'callers identities',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    inventory: typeof screens;
  }
}
