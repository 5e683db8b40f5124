import { Button, Center, Loader } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { loadSession, useSession } from '../api/index.ts';
import { Empty } from '../ui/index.ts';
import { PaletteProvider } from './palette/palette-provider.tsx';
import { texts } from './texts.tsx';

const text = texts.gate;

// Lazy: users with a session need neither.
const SignIn = lazy(async () => ({ default: (await import('./sign-in.tsx')).SignIn }));
const FirstPassword = lazy(async () => ({ default: (await import('./first-password.tsx')).FirstPassword }));
const SessionEnded = lazy(async () => ({ default: (await import('./session-ended.tsx')).SessionEnded }));

/** Requires a session. When a session ends, a dialog covers the page, which stays as it is. */
export function Gate({ children }: { children: ReactNode }) {
  const session = useSession();
  switch (session.status) {
    case 'loading':
      return (
        <Center mih="100dvh">
          <Loader size="sm" aria-label={text.loading} />
        </Center>
      );
    case 'unreachable':
      return (
        <Center mih="100dvh" p="lg">
          <Empty title={text.title} action={<Button onClick={() => void loadSession()}>{text.tryAgain}</Button>}>
            {text.proxiesRunOn}
          </Empty>
        </Center>
      );
    case 'anonymous':
      return (
        <Suspense>
          <SignIn />
        </Suspense>
      );
    // Keyed by user: another user, signed in from another tab, must not see these screens.
    case 'signedIn':
      if (session.user.must_change_password)
        return (
          <Suspense>
            <FirstPassword user={session.user} />
          </Suspense>
        );
      return <PaletteProvider key={session.user.id}>{children}</PaletteProvider>;
    case 'expired':
      return (
        <>
          <PaletteProvider key={session.user.id}>{children}</PaletteProvider>
          <Suspense>
            <SessionEnded user={session.user} />
          </Suspense>
        </>
      );
  }
}
