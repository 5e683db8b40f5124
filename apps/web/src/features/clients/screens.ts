import { IconDeviceDesktop } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/clients': lazyRouteComponent(() => import('./clients-page.tsx'), 'ClientsPage'),
    '/p/$project/clients/$clientId': lazyRouteComponent(() => import('./client-page.tsx'), 'ClientPage'),
  },
  links: [
    {
      area: 'top',
      order: 3,
      label: 'Clients',
      icon: IconDeviceDesktop,
      goKey: 'c',
      to: '/p/$project/clients',
      needs: routes.fleet.clients,
      words: 'nodes hosts agents enrol',
    },
  ],
  actions: [
    {
      label: 'Enrol a client',
      to: '/p/$project/clients',
      search: { enrol: 'new' },
      needs: routes.enrolment.createToken,
      words: 'add host node agent join',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    clients: typeof screens;
  }
}
