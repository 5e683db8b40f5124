import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  settings: [
    {
      id: 'zone-secrets',
      scope: 'project',
      area: 'security',
      label: 'Zone secrets',
      needs: routes.zoneSecret.list,
      words: 'dns server zone sign rotate key',
      page: lazyRouteComponent(() => import('./zone-secrets-page.tsx'), 'ZoneSecretsPage'),
    },
  ],
});
