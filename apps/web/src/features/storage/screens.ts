import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  settings: [
    {
      id: 'storage',
      scope: 'installation',
      area: 'operations',
      label: 'Storage',
      needs: routes.storage.stats,
      words: 'disk space full growth database tables',
      page: lazyRouteComponent(() => import('./storage-page.tsx'), 'StoragePage'),
    },
  ],
});
