import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/versions': lazyRouteComponent(() => import('./versions-page.tsx'), 'VersionsPage'),
  },
  actions: [
    {
      label: 'Show and install versions',
      to: '/p/$project/versions',
      needs: routes.fleet.clients,
      words: 'envoy binary release archive waf module coraza upgrade download remove hosts prepare documents',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    versions: typeof screens;
  }
}
