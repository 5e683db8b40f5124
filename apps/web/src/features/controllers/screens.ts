import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  settings: [
    {
      id: 'controllers',
      scope: 'installation',
      area: 'operations',
      label: 'Controllers',
      // Without a project it covers the whole installation, which only owners may read.
      needs: routes.controller.remove,
      words: 'cluster instances nodes leader processes',
      page: lazyRouteComponent(() => import('./controllers-page.tsx'), 'ControllersPage'),
    },
  ],
});
