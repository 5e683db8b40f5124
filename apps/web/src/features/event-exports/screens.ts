import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/traffic/exports': lazyRouteComponent(() => import('./event-exports-page.tsx'), 'EventExportsPage'),
  },
  actions: [
    {
      label: 'Event exports',
      to: '/p/$project/traffic/exports',
      needs: routes.eventExport.list,
      words: 'syslog webhook siem forward requests',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    eventExports: typeof screens;
  }
}
