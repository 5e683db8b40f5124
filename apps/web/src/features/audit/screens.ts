import { IconClipboardList } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/audit': lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
  },
  links: [
    {
      area: 'administration',
      order: 3,
      label: 'Audit log',
      icon: IconClipboardList,
      goKey: 'a',
      to: '/p/$project/audit',
      needs: routes.audit.list,
      words: 'activity history',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    audit: typeof screens;
  }
}
