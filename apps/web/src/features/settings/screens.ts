import { IconAdjustments, IconSettings } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { lazy } from 'react';
import { routes, settingKinds } from '../../api/index.ts';
import { defineScreens, type SettingsPage } from '../../app/screens.ts';

/** Each settings document has a page that follows from its schema. */
const documentPages = settingKinds.map(
  (kind): SettingsPage => ({
    id: kind.key.replaceAll('_', '-'),
    scope: kind.scope,
    area: kind.area,
    label: kind.title,
    needs: routes.setting.get,
    page: lazy(async () => {
      const { createDocumentPage } = await import('./document-page.tsx');
      return { default: createDocumentPage(kind) };
    }),
  }),
);

const installation = lazyRouteComponent(
  () => import('../../shell/settings/settings-frame.tsx'),
  'InstallationSettings',
);
const project = lazyRouteComponent(() => import('../../shell/settings/settings-frame.tsx'), 'ProjectSettings');

export const screens = defineScreens({
  pages: {
    '/settings': installation,
    '/settings/$section': installation,
    '/p/$project/settings': project,
    '/p/$project/settings/$section': project,
  },
  links: [
    {
      area: 'administration',
      order: 100,
      label: 'Project settings',
      icon: IconSettings,
      goKey: 'i',
      to: '/p/$project/settings',
      needs: routes.setting.kinds,
      words: 'configure',
    },
    {
      area: 'installation',
      order: 100,
      label: 'Settings',
      icon: IconAdjustments,
      to: '/settings',
      needs: routes.setting.kinds,
      words: 'configure installation system',
    },
  ],
  settings: [
    ...documentPages,
    {
      id: 'license',
      scope: 'installation',
      area: 'operations',
      label: 'Licence',
      needs: routes.license.get,
      words: 'license plan subscription',
      page: lazyRouteComponent(() => import('./license-page.tsx'), 'LicensePage'),
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    settings: typeof screens;
  }
}
