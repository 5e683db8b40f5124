import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  settings: [
    {
      id: 'sign-in-blocks',
      scope: 'installation',
      area: 'sign_in',
      label: 'Blocked addresses',
      needs: routes.lockout.list,
      words: 'sign-in lockout block throttle unlock wrong passwords guessing brute force ip address wait',
      page: lazyRouteComponent(() => import('./sign-in-blocks-page.tsx'), 'SignInBlocksPage'),
    },
  ],
});
