import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/traffic/names': lazyRouteComponent(() => import('./path-rules-page.tsx'), 'PathRulesPage'),
  },
  actions: [
    {
      label: 'Names of endpoints',
      to: '/p/$project/traffic/names',
      needs: routes.pathRule.rewrites,
      words: 'path rules templates rename merge preview',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    pathRules: typeof screens;
  }
}
