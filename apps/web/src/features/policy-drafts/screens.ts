import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/traffic/drafts/new': lazyRouteComponent(() => import('./new-draft-page.tsx'), 'NewDraftPage'),
    '/p/$project/traffic/detections': lazyRouteComponent(() => import('./detections-page.tsx'), 'DetectionsPage'),
  },
  actions: [
    {
      label: 'Draft a policy from traffic',
      to: '/p/$project/traffic/drafts/new',
      needs: routes.policyDraft.suggest,
      words: 'suggest shield findings rate limit positive model',
    },
    {
      label: 'Follow the detections of a policy',
      to: '/p/$project/traffic/detections',
      needs: routes.policyDraft.detections,
      words: 'shield detect block safe',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    policyDrafts: typeof screens;
  }
}
