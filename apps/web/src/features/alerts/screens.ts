import { IconBell } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';
import { FiringCount } from './firing-count.tsx';

export const screens = defineScreens({
  pages: {
    '/p/$project/alerts': lazyRouteComponent(() => import('./alerts-page.tsx'), 'AlertsPage'),
  },
  links: [
    {
      area: 'administration',
      order: 1,
      label: 'Alerts',
      icon: IconBell,
      to: '/p/$project/alerts',
      needs: routes.alert.list,
      words: 'notifications channels rules mail webhook slack silence firing',
      beside: FiringCount,
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    alerts: typeof screens;
  }
}
