import { useState } from 'react';
import { ApiError } from '../api/index.ts';
import { Notice, Problem, useNow } from '../ui/index.ts';
import { signInTexts } from './sign-in-texts.ts';

const text = signInTexts;

/** Explains why the sign-in failed, with the remaining time if the user has to wait. */
export function SignInProblem({ error }: { error: unknown }) {
  if (error === undefined) return null;
  const seconds = error instanceof ApiError && error.status === 429 ? error.retryAfterS : undefined;
  if (error instanceof ApiError && seconds !== undefined)
    return <Wait key={error.requestId} error={error} seconds={seconds} />;
  return <Problem error={error} what={text.refused} />;
}

/** Counts down. Screen readers announce it once, at the start. */
function Wait({ error, seconds }: { error: ApiError; seconds: number }) {
  const [from] = useState(Date.now);
  const left = Math.ceil((from + seconds * 1000 - useNow(500)) / 1000);
  return (
    <Notice tone={left > 0 ? 'bad' : 'quiet'} title={text.throttled}>
      <div aria-live="off" data-code={error.code}>
        {left > 0 ? text.wait(left) : text.waitOver}
      </div>
    </Notice>
  );
}
