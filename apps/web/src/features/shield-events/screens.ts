import { IconActivity } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/shield/events': lazyRouteComponent(() => import('./events-page.tsx'), 'ShieldEventsPage'),
  },
  links: [
    {
      area: 'security',
      order: 2,
      label: 'Filter events',
      icon: IconActivity,
      goKey: 'e',
      to: '/p/$project/shield/events',
      needs: routes.shieldEvent.list,
      words: 'shield blocked detected findings attacks',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    'shield-events': typeof screens;
  }
}
