import { Modal } from '@mantine/core';
import { useRef } from 'react';
import { texts } from '../../../texts/index.ts';
import type { ChoosableNode } from './choose-clients.tsx';
import { OperationSteps } from './operation-steps.tsx';
import type { Operation } from './operations.ts';

const text = texts.services.operations.operationDialog;

export interface OperationTarget {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly nodes: readonly ChoosableNode[];
}

export interface OperationOrder {
  readonly operation: Operation;
  /** One service, or several at once from the list. */
  readonly targets: readonly OperationTarget[];
  /** Instead of all: the clients that are chosen when it opens. */
  readonly chosenFirst?: readonly string[];
}

interface OperationDialogProps {
  /** Undefined: closed. */
  readonly order: OperationOrder | undefined;
  readonly onClose: () => void;
}

/** One operation on one or several services. Closing it stops nothing. */
export function OperationDialog({ order, onClose }: OperationDialogProps) {
  // What was open stays to be seen while it fades, and the focus goes back to where it came from.
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
