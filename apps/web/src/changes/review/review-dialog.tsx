import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { Problem, useSending } from '../../ui/index.ts';
import type { ChangePlan } from '../plan.ts';
import { texts } from '../texts.tsx';
import { RecordReview } from './review.tsx';

export interface ReviewDialogProps {
  /** For example `Save listener edge?` */
  readonly title: string;
  /** undefined: the dialog is closed. */
  readonly plan: ChangePlan | undefined;
  /** Text of the button, a verb. */
  readonly action: string;
  readonly onApply: () => Promise<unknown>;
  readonly onClose: () => void;
  /** Shown below the changes. */
  readonly children?: ReactNode;
}

/** The review of one record as a dialog. */
export function ReviewDialog({ title, plan, action, onApply, onClose, children }: ReviewDialogProps) {
  const sending = useSending();
  const close = () => {
    sending.clear();
    onClose();
  };
  return (
    <Modal opened={plan !== undefined} onClose={close} title={title} size="min(1080px, 96vw)">
      {plan && (
        <RecordReview
          plan={plan}
          action={action}
          isBusy={sending.isBusy}
          onApply={() => void sending.send(async () => void (await onApply()))}
          onBack={close}
        >
          {children}
          {sending.error !== undefined && <Problem error={sending.error} what={texts.review.failed} />}
        </RecordReview>
      )}
    </Modal>
  );
}
