import type { FactorNeeded } from '@flotilla/contract';
import { Button, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { CodeInput, type FactorKind, type FactorSetUp, isComplete, SetUpSteps, toGiven } from '../accounts/index.ts';
import { ApiError, call, routes, signInWithFactor } from '../api/index.ts';
import { texts } from '../texts/index.ts';
import { Problem, useSending } from '../ui/index.ts';

const text = texts.secondFactor.signIn;

interface FactorFormProps {
  readonly needed: FactorNeeded;
  /** `over`: the challenge is worth nothing any more. */
  readonly onBack: (why: 'over' | 'asked') => void;
}

/** The second factor of a sign-in, or setting up the first one where it is required and missing. */
export function FactorForm({ needed, onBack }: FactorFormProps) {
  return needed.enrol ? (
    <EnrolForm needed={needed} onBack={onBack} />
  ) : (
    <Stack gap="md">
      <p style={{ margin: 0 }}>{text.lead}</p>
      <CodeForm needed={needed} onBack={onBack} />
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
      {sending.error !== undefined && <Problem error={sending.error} what={texts.secondFactor.setUp.failed} />}
      <Button loading={sending.isBusy} onClick={() => void begin()} data-autofocus>
        {text.begin}
      </Button>
      <Button variant="subtle" color="gray" onClick={() => onBack('asked')}>
        {text.back}
      </Button>
    </Stack>
  );
}

function CodeForm({ needed, onBack }: FactorFormProps) {
  const sending = useSending();
  const [kind, setKind] = useState<FactorKind>(needed.factors.includes('otp') ? 'otp_code' : 'backup_code');
  const [code, setCode] = useState('');
  const { error } = sending;
  const isWrong = error instanceof ApiError && error.code === 'auth.factor_wrong';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await sending.send(async () => {
      try {
        await signInWithFactor(needed.challenge, toGiven(kind, code));
      } catch (failure) {
        if (failure instanceof ApiError && failure.code === 'auth.challenge_over') return onBack('over');
        throw failure;
      }
    });
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
        {error !== undefined && !isWrong && <Problem error={error} what={text.failed} />}
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
