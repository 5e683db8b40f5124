import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/publish': lazyRouteComponent(() => import('./publish-page.tsx'), 'PublishPage'),
    '/p/$project/unpublish': lazyRouteComponent(() => import('./unpublish-page.tsx'), 'UnpublishPage'),
  },
  actions: [
    {
      label: 'Publish an upstream',
      to: '/p/$project/publish',
      needs: routes.publish.publish,
      words: 'add new host url expose route deploy',
    },
    {
      label: 'Unpublish hosts',
      to: '/p/$project/unpublish',
      needs: routes.publish.unpublish,
      words: 'remove delete host url route listener',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    publish: typeof screens;
  }
}
