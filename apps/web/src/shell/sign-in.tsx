import { type ReactNode, useEffect } from 'react';
import { texts } from '../texts/index.ts';
import classes from './sign-in.module.css';
import { SignInForm } from './sign-in-form.tsx';

export function SignIn() {
  return (
    <SignInCard documentTitle={texts.signIn.title} lead={texts.signIn.lead}>
      <SignInForm />
    </SignInCard>
  );
}

interface SignInCardProps {
  readonly documentTitle: string;
  readonly lead: string;
  readonly children: ReactNode;
}

/** What is on its own before anything is open. */
export function SignInCard({ documentTitle, lead, children }: SignInCardProps) {
  useEffect(() => {
    document.title = documentTitle;
  }, [documentTitle]);
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <h1 className={classes.brand}>
          <img src="/icon.svg" alt="" width={24} height={24} />
          Flotilla
        </h1>
        <p className={classes.lead}>{lead}</p>
        {children}
      </div>
    </main>
  );
}
