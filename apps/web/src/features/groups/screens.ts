import { IconUsersGroup } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/groups': lazyRouteComponent(() => import('./groups-page.tsx'), 'GroupsPage'),
  },
  links: [
    {
      area: 'administration',
      order: 5,
      label: 'Groups',
      icon: IconUsersGroup,
      to: '/p/$project/groups',
      needs: routes.group.list,
      words: 'teams members',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    groups: typeof screens;
  }
}
