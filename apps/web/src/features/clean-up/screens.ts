import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  settings: [
    {
      id: 'clean-up',
      scope: 'project',
      area: 'operations',
      label: 'Clean-up',
      needs: routes.cleanUp.preview,
      words: 'retired proxy version delete documents undo bring back',
      page: lazyRouteComponent(() => import('./clean-up-page.tsx'), 'CleanUpPage'),
    },
  ],
});
