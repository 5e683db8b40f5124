import type { FactorNeeded } from '@flotilla/contract';
import { Stack } from '@mantine/core';
import { useEffect, useState } from 'react';
import { texts } from '../accounts/second-factor/texts.ts';
import { forgetSignInNews, readSignInNews, routes, useApi } from '../api/index.ts';
import { Notice } from '../ui/index.ts';
import { FactorForm } from './factor-form.tsx';
import { OtherWays } from './sign-in-other-ways.tsx';
import { PasswordForm } from './sign-in-password.tsx';
import { signInTexts } from './sign-in-texts.ts';

/** Sign-in, step by step. `username` fixes the name when a session is renewed. */
export function SignInForm({ username }: { username?: string }) {
  const [news] = useState(() => readSignInNews(location.hash));
  const [needed, setNeeded] = useState<FactorNeeded | undefined>(news?.kind === 'factor' ? news.needed : undefined);
  const [isOver, setOver] = useState(false);
  useEffect(forgetSignInNews, []);
  const realms = useApi(routes.directory.realms, {}).data?.body;
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
      <Stack gap="md">
        {isOver && <Notice tone="warn" title={texts.signIn.over} />}
        {news?.kind === 'error' && !isOver && <ProviderError code={news.code} />}
        {news?.kind === 'stray' && <Notice tone="warn" title={signInTexts.stray} />}
        <PasswordForm
          {...(username !== undefined && { username })}
          realms={realms?.items.filter(({ start }) => start === null) ?? []}
          onFactorNeeded={setNeeded}
        />
      </Stack>
      {realms && (
        <OtherWays
          hasPasskeys={realms.passkeys}
          providers={username === undefined ? realms.items.filter(({ start }) => start !== null) : []}
        />
      )}
    </>
  );
}

/** Shows only known messages, because the code comes from the URL. */
function ProviderError({ code }: { code: string }) {
  return (
    <Notice tone="bad" title={signInTexts.refused}>
      <div data-code={code}>{signInTexts.providerProblem(code)}</div>
    </Notice>
  );
}
