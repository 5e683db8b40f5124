import { IconArrowsLeftRight } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/ha-pairs': lazyRouteComponent(() => import('./pairs-page.tsx'), 'PairsPage'),
    '/p/$project/ha-pairs/new': lazyRouteComponent(() => import('./new-pair-page.tsx'), 'NewPairPage'),
    '/p/$project/ha-pairs/$pairId': lazyRouteComponent(() => import('./pair-page.tsx'), 'PairPage'),
  },
  links: [
    {
      area: 'top',
      order: 5,
      label: 'HA pairs',
      icon: IconArrowsLeftRight,
      to: '/p/$project/ha-pairs',
      // Nobody may call the routes of pairs while the controller has no secret for them; the page says what is missing.
      needs: routes.client.list,
      words: 'high availability failover virtual addresses vip keepalived vrrp active standby',
    },
  ],
  actions: [
    {
      label: 'Create an HA pair',
      to: '/p/$project/ha-pairs/new',
      needs: routes.ha.create,
      words: 'add new high availability',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    haPairs: typeof screens;
  }
}
