import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/traffic/findings': lazyRouteComponent(() => import('./findings-page.tsx'), 'FindingsPage'),
    '/p/$project/traffic/findings/$findingId': lazyRouteComponent(() => import('./finding-page.tsx'), 'FindingPage'),
  },
  links: [],
  actions: [
    {
      label: 'Findings',
      to: '/p/$project/traffic/findings',
      needs: routes.finding.list,
      words: 'risks flags vulnerabilities owners accept acknowledge remediation',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    findings: typeof screens;
  }
}
