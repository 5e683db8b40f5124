import type { Realm } from '@flotilla/contract';
import { Button, Stack } from '@mantine/core';
import { askForPasskey, knowsPasskeys } from '../accounts/index.ts';
import { beginProviderSignIn, signInWithPasskey } from '../api/index.ts';
import { useSending } from '../ui/index.ts';
import { PasskeyProblem } from './passkey-problem.tsx';
import classes from './sign-in.module.css';
import { signInTexts } from './sign-in-texts.ts';

const text = signInTexts;

interface OtherWaysProps {
  readonly hasPasskeys: boolean;
  /** Providers that the browser is redirected to. */
  readonly providers: readonly Realm[];
}

/** Offers sign-in without a name and a password. */
export function OtherWays({ hasPasskeys, providers }: OtherWaysProps) {
  const withPasskey = hasPasskeys && knowsPasskeys();
  if (!withPasskey && providers.length === 0) return null;
  return (
    <Stack gap="sm" mt="md">
      <p className={classes.or}>{text.or}</p>
      {withPasskey && <PasskeyButton />}
      {providers.map(({ name, title, start }) => (
        <Button
          key={name}
          component="a"
          variant="default"
          size="sm"
          classNames={{ root: classes.provider, label: classes.providerLabel }}
          href={`${start}?return_to=${here()}`}
          onClick={beginProviderSignIn}
        >
          {text.withProvider(title)}
        </Button>
      ))}
    </Stack>
  );
}

/** Returns the address to come back to. */
function here(): string {
  return encodeURIComponent(`${location.pathname}${location.search}`);
}

function PasskeyButton() {
  const sending = useSending();
  const ask = () => sending.send(async () => signInWithPasskey(await askForPasskey()));
  return (
    <>
      <PasskeyProblem error={sending.error} />
      <Button variant="default" size="sm" loading={sending.isBusy} onClick={() => void ask()}>
        {text.passkey}
      </Button>
    </>
  );
}
