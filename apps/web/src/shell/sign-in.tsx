import type { ReactNode } from 'react';
import { useDocumentTitle, useInstallation } from '../app/installation.ts';
import classes from './sign-in.module.css';
import { SignInForm } from './sign-in-form.tsx';
import { signInTexts } from './sign-in-texts.ts';

export function SignIn() {
  return (
    <SignInCard title={signInTexts.title} lead={signInTexts.lead}>
      <SignInForm />
    </SignInCard>
  );
}

interface SignInCardProps {
  readonly title: string;
  readonly lead: string;
  readonly children: ReactNode;
}

/** Card for pages without a frame. */
export function SignInCard({ title, lead, children }: SignInCardProps) {
  useDocumentTitle(title);
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <h1 className={classes.brand}>
          <img src="/icon.svg" alt="" width={24} height={24} />
          <bdi>{useInstallation()}</bdi>
        </h1>
        <p className={classes.lead}>{lead}</p>
        {children}
      </div>
    </main>
  );
}
