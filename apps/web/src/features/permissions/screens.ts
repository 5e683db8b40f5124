import { IconLock } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/permissions': lazyRouteComponent(() => import('./permissions-page.tsx'), 'PermissionsPage'),
  },
  links: [
    {
      area: 'administration',
      order: 6,
      label: 'Permissions',
      icon: IconLock,
      to: '/p/$project/permissions',
      needs: routes.permission.list,
      words: 'access rights reach matrix listed restrict',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    permissions: typeof screens;
  }
}
