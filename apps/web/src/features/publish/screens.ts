import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/publish': lazyRouteComponent(() => import('./publish-page.tsx'), 'PublishPage'),
  },
  actions: [
    {
      label: 'Publish an upstream',
      to: '/p/$project/publish',
      needs: routes.publish.publish,
      words: 'add new host url expose route deploy',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    publish: typeof screens;
  }
}
