import { Button, Center, Loader } from '@mantine/core';
import { Fragment, lazy, type ReactNode, Suspense } from 'react';
import { loadSession, useSession } from '../api/index.ts';
import { texts } from '../texts/index.ts';
import { Empty } from '../ui/index.ts';

const text = texts.shell.gate;

// Whoever is signed in already needs neither.
const SignIn = lazy(async () => ({ default: (await import('./sign-in.tsx')).SignIn }));
const FirstPassword = lazy(async () => ({ default: (await import('./first-password.tsx')).FirstPassword }));
const SessionEnded = lazy(async () => ({ default: (await import('./session-ended.tsx')).SessionEnded }));

/** Lets nobody further who is not signed in. A session that ends leaves the page as it is, behind a dialog. */
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
    // By user: the screens of one are not handed on to another, who may have signed in in another tab.
    case 'signedIn':
      if (session.user.must_change_password)
        return (
          <Suspense>
            <FirstPassword user={session.user} />
          </Suspense>
        );
      return <Fragment key={session.user.id}>{children}</Fragment>;
    case 'expired':
      return (
        <>
          <Fragment key={session.user.id}>{children}</Fragment>
          <Suspense>
            <SessionEnded user={session.user} />
          </Suspense>
        </>
      );
  }
}
