import { IconServer } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/services': lazyRouteComponent(() => import('./services-page.tsx'), 'ServicesPage'),
    '/p/$project/services/new': lazyRouteComponent(() => import('./service-editor-page.tsx'), 'NewServicePage'),
    '/p/$project/services/$serviceId': lazyRouteComponent(() => import('./service-page.tsx'), 'ServicePage'),
    '/p/$project/services/$serviceId/edit': lazyRouteComponent(
      () => import('./service-editor-page.tsx'),
      'EditServicePage',
    ),
  },
  links: [
    {
      area: 'top',
      order: 2,
      label: 'Services',
      icon: IconServer,
      goKey: 's',
      to: '/p/$project/services',
      needs: routes.fleet.services,
      words: 'deployments',
    },
  ],
  actions: [
    {
      label: 'Create a service',
      to: '/p/$project/services/new',
      needs: routes.service.create,
      words: 'add new deploy',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    services: typeof screens;
  }
}
