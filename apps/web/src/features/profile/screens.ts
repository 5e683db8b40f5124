import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: { '/profile': lazyRouteComponent(() => import('./profile-page.tsx'), 'ProfilePage') },
  actions: [
    {
      label: 'Profile and sessions',
      isAboutAccount: true,
      to: '/profile',
      needs: routes.profile.get,
      words: 'account me email passkeys',
    },
    {
      label: 'Second factor',
      isAboutAccount: true,
      to: '/profile',
      needs: routes.secondFactor.status,
      words: '2fa otp mfa totp authenticator passkey backup codes',
    },
    {
      label: 'Change the password',
      isAboutAccount: true,
      to: '/profile',
      needs: routes.profile.changePassword,
      words: 'account sessions',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    profile: typeof screens;
  }
}
