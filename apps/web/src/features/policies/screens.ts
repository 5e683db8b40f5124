import { IconShieldCheck } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/policies': lazyRouteComponent(() => import('./policies-page.tsx'), 'PoliciesPage'),
    '/p/$project/policies/new': lazyRouteComponent(() => import('./new-policy-page.tsx'), 'NewPolicyPage'),
    '/p/$project/policies/$name': lazyRouteComponent(() => import('./policy-page.tsx'), 'PolicyPage'),
    '/p/$project/shield/filters': lazyRouteComponent(() => import('./filters/filters-page.tsx'), 'FiltersPage'),
    '/p/$project/shield/try': lazyRouteComponent(() => import('./trial/trial-page.tsx'), 'TrialPage'),
  },
  links: [
    {
      area: 'security',
      order: 1,
      label: 'Policies',
      icon: IconShieldCheck,
      goKey: 'p',
      to: '/p/$project/policies',
      needs: routes.policy.list,
      words: 'shield filter engines',
    },
  ],
  actions: [
    {
      label: 'Create a policy',
      to: '/p/$project/policies/new',
      needs: routes.policy.create,
      words: 'add new shield',
    },
    {
      label: 'Show the status of the filters',
      to: '/p/$project/shield/filters',
      needs: routes.shieldNode.list,
      words: 'shield nodes resync digest files log send policies again',
    },
    {
      label: 'Try a request against policies',
      to: '/p/$project/shield/try',
      needs: routes.shieldTrial.try,
      words: 'explain why blocked allowed test shield',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    policies: typeof screens;
  }
}
