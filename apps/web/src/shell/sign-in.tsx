import { useEffect } from 'react';
import classes from './sign-in.module.css';
import { SignInForm } from './sign-in-form.tsx';

export function SignIn() {
  useEffect(() => {
    document.title = 'Sign in · Flotilla';
  }, []);
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <h1 className={classes.brand}>
          <img src="/icon.svg" alt="" width={24} height={24} />
          Flotilla
        </h1>
        <p className={classes.lead}>Sign in to your fleet.</p>
        <SignInForm />
      </div>
    </main>
  );
}
