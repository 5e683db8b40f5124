import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  settings: [
    {
      id: 'backups',
      scope: 'installation',
      area: 'operations',
      label: 'Backups',
      // Without a project they belong to the installation, which only owners may read.
      needs: routes.storage.stats,
      words: 'restore export download schedule',
      page: lazyRouteComponent(() => import('./backups-page.tsx'), 'InstallationBackupsPage'),
    },
    {
      id: 'backups',
      scope: 'project',
      area: 'operations',
      label: 'Backups',
      needs: routes.backup.list,
      words: 'restore export download schedule upload',
      page: lazyRouteComponent(() => import('./backups-page.tsx'), 'ProjectBackupsPage'),
    },
  ],
});
