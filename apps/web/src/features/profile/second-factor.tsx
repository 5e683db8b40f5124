import type { CallOutput, secondFactorRoutes } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../../accounts/second-factor/texts.ts';
import { routes, useApi } from '../../api/index.ts';
import { Loaded, Section, State } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';
import { NewBackupCodes } from './new-backup-codes.tsx';
import { TurnOffFactor } from './turn-off-factor.tsx';
import { TurnOnFactor } from './turn-on-factor.tsx';

const text = texts.profile;

type Status = CallOutput<typeof secondFactorRoutes.status>;

/** Shows whether sign-in requires a code, and the number of backup codes left. */
export function SecondFactor() {
  const query = useApi(routes.secondFactor.status, {});
  return (
    <Section title={text.title}>
      <Loaded query={query} what={text.what}>
        {({ body }) => <FactorRows status={body} />}
      </Loaded>
    </Section>
  );
}

function FactorRows({ status }: { status: Status }) {
  const [open, setOpen] = useState<'on' | 'off' | 'codes'>();
  const close = () => setOpen(undefined);
  const isOn = status.otp_enabled;
  return (
    <>
      <ul className={lines.rows} aria-label={text.title}>
        <li className={lines.row}>
          <span className={lines.grow}>
            <State
              word={isOn ? text.on : text.off}
              tone={isOn ? 'good' : 'quiet'}
              shape={isOn ? 'full' : 'ring'}
              why={isOn ? text.whyOn : text.whyOff}
            />
            <span className={lines.hint}>{isOn && status.otp_enforced ? text.required : text.intro}</span>
          </span>
          {!isOn && (
            <Button variant="default" onClick={() => setOpen('on')}>
              {text.turnOn}
            </Button>
          )}
          {isOn && !status.otp_enforced && (
            <Button variant="default" onClick={() => setOpen('off')}>
              {text.turnOff}
            </Button>
          )}
        </li>
        {isOn && (
          <li className={lines.row}>
            <span className={lines.grow}>{text.codesLeft(status.backup_codes_count)}</span>
            <Button variant="default" onClick={() => setOpen('codes')}>
              {text.newCodes}
            </Button>
          </li>
        )}
      </ul>
      <TurnOnFactor opened={open === 'on'} onClose={close} />
      <TurnOffFactor opened={open === 'off'} onClose={close} />
      <NewBackupCodes opened={open === 'codes'} onClose={close} />
    </>
  );
}
