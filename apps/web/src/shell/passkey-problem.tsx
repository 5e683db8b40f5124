import { isElsewhere, wasCancelled } from '../accounts/index.ts';
import { texts } from '../texts/index.ts';
import { Notice } from '../ui/index.ts';
import { SignInProblem } from './sign-in-problem.tsx';

/** Why a passkey did not sign in, from the browser or the controller. */
export function PasskeyProblem({ error }: { error: unknown }) {
  if (wasCancelled(error)) return <Notice tone="warn" title={texts.signIn.passkeyCancelled} />;
  if (isElsewhere(error)) return <Notice tone="warn" title={texts.signIn.passkeyElsewhere} />;
  return <SignInProblem error={error} />;
}
