import type { CallOutput, secondFactorRoutes } from '@flotilla/contract';
import { Skeleton } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { texts } from '../../texts/index.ts';
import { CommandLine, Copy, Notice } from '../../ui/index.ts';
import classes from './second-factor.module.css';

// Drawn once in the life of an account.
const QrCode = lazy(async () => ({ default: (await import('./qr-code.tsx')).QrCode }));

const QR_PX = 184;
const text = texts.secondFactor.setUp;

export type FactorSetUp = CallOutput<typeof secondFactorRoutes.enable>;

interface SetUpStepsProps {
  /** In this component and nowhere else: it is not answered again. */
  readonly setUp: FactorSetUp;
  /** Takes the first code of the authenticator. */
  readonly children: ReactNode;
}

/** The key for the authenticator, the backup codes, and the first code. */
export function SetUpSteps({ setUp, children }: SetUpStepsProps) {
  return (
    <div className={classes.steps}>
      <p>{text.scan}</p>
      <Suspense fallback={<Skeleton height={QR_PX} width={QR_PX} />}>
        <QrCode text={setUp.otpauth_uri} label={text.qrCode} />
      </Suspense>
      <CommandLine text={setUp.secret} what={text.key} />
      <p>{text.save}</p>
      <BackupCodes codes={setUp.backup_codes} />
      <p>{text.confirm}</p>
      {children}
    </div>
  );
}

export function BackupCodes({ codes }: { codes: readonly string[] }) {
  return (
    <>
      <ul className={classes.codes} aria-label={text.codes}>
        {codes.map((code) => (
          <li key={code} className="mono">
            {code}
          </li>
        ))}
      </ul>
      <div className={classes.row}>
        <span>{text.codes}</span>
        <Copy text={codes.join('\n')} what={text.copyCodes} />
      </div>
      <Notice tone="warn" title={text.onlyNow} />
    </>
  );
}
