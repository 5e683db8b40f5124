import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  settings: [
    {
      id: 'discovery-token',
      scope: 'project',
      area: 'security',
      label: 'Discovery token',
      needs: routes.discoveryToken.get,
      words: 'report services rotate secret',
      page: lazyRouteComponent(() => import('./discovery-token-page.tsx'), 'DiscoveryTokenPage'),
    },
  ],
});
