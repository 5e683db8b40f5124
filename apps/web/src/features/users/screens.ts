import { IconUsers } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/users': lazyRouteComponent(() => import('./users-page.tsx'), 'UsersPage'),
    '/p/$project/users/$userId': lazyRouteComponent(() => import('./user-page.tsx'), 'UserPage'),
  },
  links: [
    {
      area: 'administration',
      order: 4,
      label: 'Users',
      icon: IconUsers,
      to: '/p/$project/users',
      needs: routes.user.list,
      words: 'members people roles',
    },
  ],
  actions: [
    {
      label: 'Add a user',
      to: '/p/$project/users',
      search: { add: 'member' },
      needs: routes.user.addMember,
      words: 'invite member create account person',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    users: typeof screens;
  }
}
