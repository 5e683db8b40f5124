import { IconLayoutDashboard } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/overview': lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
  },
  links: [
    {
      area: 'top',
      order: 1,
      label: 'Overview',
      icon: IconLayoutDashboard,
      goKey: 'o',
      to: '/p/$project/overview',
      needs: routes.overview.read,
      words: 'home start errors problems alerts health',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    overview: typeof screens;
  }
}
