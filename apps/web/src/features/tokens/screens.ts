import { IconKey } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/tokens': lazyRouteComponent(() => import('./tokens-page.tsx'), 'TokensPage'),
  },
  links: [
    {
      area: 'administration',
      order: 7,
      label: 'API tokens',
      icon: IconKey,
      goKey: 't',
      to: '/p/$project/tokens',
      needs: routes.apiToken.list,
      words: 'automation',
    },
  ],
  actions: [
    {
      label: 'Create an API token',
      to: '/p/$project/tokens',
      search: { create: 'token' },
      needs: routes.apiToken.create,
      words: 'add new automation',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    tokens: typeof screens;
  }
}
