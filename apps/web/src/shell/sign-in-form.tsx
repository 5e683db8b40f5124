import type { FactorNeeded } from '@flotilla/contract';
import { useState } from 'react';
import { texts } from '../texts/index.ts';
import { Notice } from '../ui/index.ts';
import { FactorForm } from './factor-form.tsx';
import { PasswordForm } from './sign-in-password.tsx';

/** The way in, step by step. `username` fixes the name: whoever was signed in goes on. */
export function SignInForm({ username }: { username?: string }) {
  const [needed, setNeeded] = useState<FactorNeeded>();
  const [isOver, setOver] = useState(false);
  if (needed)
    return (
      <FactorForm
        needed={needed}
        onBack={(why) => {
          setNeeded(undefined);
          setOver(why === 'over');
        }}
      />
    );
  return (
    <>
      {isOver && <Notice tone="warn" title={texts.secondFactor.signIn.over} />}
      <PasswordForm {...(username !== undefined && { username })} onFactorNeeded={setNeeded} />
    </>
  );
}
