import { Modal } from '@mantine/core';
import { useRef } from 'react';
import { texts } from '../../../texts/index.ts';
import type { OperationOrder } from './operation-order.ts';
import { OperationSteps } from './operation-steps.tsx';

const text = texts.services.operations.operationDialog;

interface OperationDialogProps {
  /** undefined: closed. */
  readonly order: OperationOrder | undefined;
  readonly onClose: () => void;
}

/** One operation on one or several services. Closing it stops nothing. */
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
