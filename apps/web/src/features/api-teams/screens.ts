import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/traffic/teams': lazyRouteComponent(() => import('./teams-page.tsx'), 'ApiTeamsPage'),
  },
  actions: [
    {
      label: 'API teams and owners',
      to: '/p/$project/traffic/teams',
      needs: routes.apiOwner.teams,
      words: 'ownership criticality data classes responsible',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    apiTeams: typeof screens;
  }
}
