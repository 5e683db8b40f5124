import { IconBriefcase } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/jobs': lazyRouteComponent(() => import('./jobs-page.tsx'), 'JobsPage'),
    '/p/$project/jobs/$jobId': lazyRouteComponent(() => import('./job-page.tsx'), 'JobPage'),
  },
  links: [
    {
      area: 'administration',
      order: 2,
      label: 'Jobs',
      icon: IconBriefcase,
      goKey: 'j',
      to: '/p/$project/jobs',
      needs: routes.job.list,
      words: 'work progress queue backups',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    jobs: typeof screens;
  }
}
