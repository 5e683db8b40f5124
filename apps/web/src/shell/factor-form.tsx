import type { FactorNeeded } from '@flotilla/contract';
import { Button, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import {
  askForPasskey,
  CodeInput,
  type FactorKind,
  type FactorSetUp,
  isComplete,
  knowsPasskeys,
  SetUpSteps,
  toGiven,
} from '../accounts/index.ts';
import { texts } from '../accounts/second-factor/texts.ts';
import { ApiError, call, routes, signInWithFactor } from '../api/index.ts';
import { Problem, useSending } from '../ui/index.ts';
import { PasskeyProblem } from './passkey-problem.tsx';
import classes from './sign-in.module.css';
import { SignInProblem } from './sign-in-problem.tsx';
import { signInTexts } from './sign-in-texts.ts';

const text = texts.signIn;

interface FactorFormProps {
  readonly needed: FactorNeeded;
  /** `over`: the challenge has expired. */
  readonly onBack: (why: 'over' | 'asked') => void;
}

/** Asks for the second factor of a sign-in, or sets up a required one. */
export function FactorForm({ needed, onBack }: FactorFormProps) {
  return needed.enrol ? (
    <EnrolForm needed={needed} onBack={onBack} />
  ) : (
    <Stack gap="md">
      <p style={{ margin: 0 }}>{leadOf(needed)}</p>
      <FactorSteps needed={needed} onBack={onBack} />
    </Stack>
  );
}

function EnrolForm({ needed, onBack }: FactorFormProps) {
  const sending = useSending();
  const [setUp, setSetUp] = useState<FactorSetUp>();
  if (setUp)
    return (
      <SetUpSteps setUp={setUp}>
        <CodeForm needed={{ ...needed, factors: ['otp'] }} onBack={onBack} />
      </SetUpSteps>
    );
  const begin = () =>
    sending.send(async () => {
      const { body } = await call(routes.secondFactor.enrolAtSignIn, { body: { challenge: needed.challenge } });
      setSetUp(body);
    });
  return (
    <Stack gap="md">
      <p style={{ margin: 0 }}>{text.enrolLead}</p>
      {sending.error !== undefined && <Problem error={sending.error} what={texts.setUp.failed} />}
      <Button loading={sending.isBusy} onClick={() => void begin()} data-autofocus>
        {text.begin}
      </Button>
      <Button variant="subtle" color="gray" onClick={() => onBack('asked')}>
        {text.back}
      </Button>
    </Stack>
  );
}

function leadOf({ factors }: FactorNeeded): string {
  if (!factors.includes('passkey')) return text.lead;
  return factors.includes('otp') ? signInTexts.passkeyOrCodeLead : signInTexts.passkeyLead;
}

/** Asks for a code, or a passkey if the account has one. */
function FactorSteps({ needed, onBack }: FactorFormProps) {
  const canPasskey = needed.factors.includes('passkey') && knowsPasskeys();
  const hasCodes = needed.factors.includes('otp');
  return (
    <>
      {canPasskey && <PasskeyStep challenge={needed.challenge} isFirst={!hasCodes} onBack={onBack} />}
      {hasCodes && canPasskey && <p className={classes.or}>{signInTexts.or}</p>}
      {hasCodes && <CodeForm needed={needed} onBack={onBack} />}
      {!hasCodes && (
        <Button variant="subtle" color="gray" onClick={() => onBack('asked')}>
          {text.back}
        </Button>
      )}
    </>
  );
}

interface PasskeyStepProps extends Pick<FactorFormProps, 'onBack'> {
  readonly challenge: string;
  readonly isFirst: boolean;
}

function PasskeyStep({ challenge, isFirst, onBack }: PasskeyStepProps) {
  const sending = useSending();
  const { error } = sending;
  const ask = () =>
    sending.send(() => unlessOver(onBack, async () => signInWithFactor(challenge, { passkey: await askForPasskey() })));
  return (
    <>
      <PasskeyProblem error={error} />
      <Button
        variant={isFirst ? 'filled' : 'default'}
        size="sm"
        loading={sending.isBusy}
        onClick={() => void ask()}
        data-autofocus={isFirst}
      >
        {signInTexts.passkeyAgain}
      </Button>
    </>
  );
}

/** Restarts the sign-in if the challenge has expired. */
async function unlessOver(onBack: FactorFormProps['onBack'], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (failure) {
    if (failure instanceof ApiError && failure.code === 'auth.challenge_over') return onBack('over');
    throw failure;
  }
}

function CodeForm({ needed, onBack }: FactorFormProps) {
  const sending = useSending();
  const [kind, setKind] = useState<FactorKind>(needed.factors.includes('otp') ? 'otp_code' : 'backup_code');
  const [code, setCode] = useState('');
  const { error } = sending;
  const isWrong = error instanceof ApiError && error.code === 'auth.factor_wrong';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await sending.send(() => unlessOver(onBack, () => signInWithFactor(needed.challenge, toGiven(kind, code))));
  };
  const other: FactorKind = kind === 'otp_code' ? 'backup_code' : 'otp_code';
  const hasOther = needed.factors.includes(other === 'otp_code' ? 'otp' : 'backup_code');
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <CodeInput
          key={kind}
          kind={kind}
          value={code}
          error={isWrong ? text.wrong : undefined}
          onChange={(next) => {
            sending.clear();
            setCode(next);
          }}
        />
        {!isWrong && <SignInProblem error={error} />}
        <Button type="submit" size="sm" loading={sending.isBusy} disabled={!isComplete(kind, code)}>
          {text.signIn}
        </Button>
        {hasOther && (
          <Button
            variant="subtle"
            color="gray"
            onClick={() => {
              setCode('');
              setKind(other);
              sending.clear();
            }}
          >
            {other === 'backup_code' ? text.useBackup : text.useCode}
          </Button>
        )}
        <Button variant="subtle" color="gray" onClick={() => onBack('asked')}>
          {text.back}
        </Button>
      </Stack>
    </form>
  );
}
