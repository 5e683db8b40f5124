import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Notice } from '../../ui/index.ts';
import type { ChangePlan, ReviewWarning } from '../plan.ts';
import { texts } from '../texts.tsx';
import { Reached } from './reach.tsx';
import { RecordChanges } from './record-changes.tsx';
import classes from './review.module.css';

const text = texts.review;

export interface ReviewProps {
  readonly plan: Omit<ChangePlan, 'change'>;
  /** The changes of one record, or of several. */
  readonly changes: ReactNode;
  /** Text of the button, a verb. */
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly isBusy: boolean;
  readonly isDisabled?: boolean | undefined;
  readonly onApply: () => void;
  readonly onBack: () => void;
  /** Text of the other button. */
  readonly back?: string | undefined;
  /** Shown between the changes and the buttons. */
  readonly children?: ReactNode;
}

/** Reviews a change before it is saved: warnings, affected services and nodes, and differences. */
export function Review(props: ReviewProps) {
  const {
    plan,
    changes,
    action,
    isBusy,
    isDisabled = false,
    isDangerous = false,
    onApply,
    onBack,
    back = text.back,
    children,
  } = props;
  return (
    <Stack gap="md">
      <Warnings warnings={plan.warnings} />
      {plan.reach && <Reached reach={plan.reach} />}
      {changes}
      {children}
      <div className={classes.foot}>
        <Button variant="default" onClick={onBack}>
          {back}
        </Button>
        <Button
          onClick={onApply}
          loading={isBusy}
          disabled={isDisabled}
          data-autofocus
          {...(isDangerous && { color: 'red.9' })}
        >
          {action}
        </Button>
      </div>
    </Stack>
  );
}

function Warnings({ warnings }: { readonly warnings: readonly ReviewWarning[] }) {
  if (warnings.length === 0) return null;
  return (
    <Notice tone="warn" title={text.warnings(warnings.length)}>
      <ul className={classes.warnings}>
        {warnings.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            {path !== '' && <span className="mono">{path} </span>}
            {message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** The review of one record. */
export function RecordReview({ plan, ...rest }: Omit<ReviewProps, 'plan' | 'changes'> & { plan: ChangePlan }) {
  return <Review {...rest} plan={plan} changes={<RecordChanges change={plan.change} />} />;
}
