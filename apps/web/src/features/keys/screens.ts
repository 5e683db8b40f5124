import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  settings: [
    {
      id: 'keys',
      scope: 'installation',
      area: 'security',
      label: 'Keys',
      needs: routes.key.list,
      words: 'encryption secrets rotate master data signing',
      page: lazyRouteComponent(() => import('./keys-page.tsx'), 'KeysPage'),
    },
  ],
});
