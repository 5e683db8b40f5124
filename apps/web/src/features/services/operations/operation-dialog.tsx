import { Modal } from '@mantine/core';
import { useRef } from 'react';
import type { OperationOrder } from './operation-order.ts';
import { OperationSteps } from './operation-steps.tsx';
import { texts } from './texts.tsx';

const text = texts.operationDialog;

interface OperationDialogProps {
  /** undefined: the dialog is closed. */
  readonly order: OperationOrder | undefined;
  readonly onClose: () => void;
}

/** Runs one operation on one or several services. Closing the dialog stops nothing. */
export function OperationDialog({ order, onClose }: OperationDialogProps) {
  // Keeps the content visible while the dialog fades, and restores the focus.
  const last = useRef(order);
  if (order) last.current = order;
  const shown = order ?? last.current;
  return (
    <Modal opened={order !== undefined} onClose={onClose} title={shown && tellTitle(shown)} size="lg">
      {shown && <OperationSteps key={shown.operation.id} {...shown} onClose={onClose} />}
    </Modal>
  );
}

function tellTitle({ operation, targets }: OperationOrder): string {
  const [first, ...others] = targets;
  return `${operation.label}: ${first && others.length === 0 ? first.name : text.services(targets.length)}`;
}
