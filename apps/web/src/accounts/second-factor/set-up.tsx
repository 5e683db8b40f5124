import type { CallOutput, secondFactorRoutes } from '@flotilla/contract';
import { Skeleton } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useLayoutEffect, useRef } from 'react';
import { CommandLine, Copy, Notice } from '../../ui/index.ts';
import classes from './second-factor.module.css';
import { texts } from './texts.ts';

// Lazy: used about once per account.
const QrCode = lazy(async () => ({ default: (await import('./qr-code.tsx')).QrCode }));

const QR_PX = 184;
const text = texts.setUp;

export type FactorSetUp = CallOutput<typeof secondFactorRoutes.enable>;

interface SetUpStepsProps {
  /** The only copy: the controller does not return it again. */
  readonly setUp: FactorSetUp;
  /** Input for the first code. */
  readonly children: ReactNode;
}

/** Shows the key for the authenticator, the backup codes, and the input for the first code. */
export function SetUpSteps({ setUp, children }: SetUpStepsProps) {
  const first = useRef<HTMLParagraphElement>(null);
  // The field of the last step takes the focus on mount and would scroll the first step out of view.
  useLayoutEffect(() => {
    first.current?.focus({ preventScroll: true });
    first.current?.scrollIntoView({ block: 'start' });
  }, []);
  return (
    <div className={classes.steps}>
      <p ref={first} tabIndex={-1}>
        {text.scan}
      </p>
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
