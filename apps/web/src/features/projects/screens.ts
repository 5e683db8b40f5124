import { IconFolders } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/projects': lazyRouteComponent(() => import('./projects-page.tsx'), 'ProjectsPage'),
  },
  links: [
    {
      area: 'installation',
      order: 1,
      label: 'Projects',
      icon: IconFolders,
      goKey: 'h',
      to: '/projects',
      needs: routes.project.list,
      words: 'tenants',
    },
  ],
  actions: [
    {
      label: 'Create a project',
      to: '/projects',
      search: { create: 'project' },
      needs: routes.project.create,
      words: 'add new tenant',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    projects: typeof screens;
  }
}
