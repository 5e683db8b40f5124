import { isElsewhere, wasCancelled } from '../accounts/index.ts';
import { Notice } from '../ui/index.ts';
import { SignInProblem } from './sign-in-problem.tsx';
import { signInTexts } from './sign-in-texts.ts';

/** Explains why the sign-in with a passkey failed, in the browser or at the controller. */
export function PasskeyProblem({ error }: { error: unknown }) {
  if (wasCancelled(error)) return <Notice tone="warn" title={signInTexts.passkeyCancelled} />;
  if (isElsewhere(error)) return <Notice tone="warn" title={signInTexts.passkeyElsewhere} />;
  return <SignInProblem error={error} />;
}
