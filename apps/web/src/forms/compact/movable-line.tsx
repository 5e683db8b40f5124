import { IconArrowDown, IconArrowUp, IconGripVertical, IconX } from '@tabler/icons-react';
import type { KeyboardEvent, ReactNode } from 'react';
import { useForm } from '../form-context.ts';
import compact from './compact.module.css';
import { ActionButton } from './row-parts.tsx';
import type { DragOrder } from './use-drag-order.ts';

export interface MovableLineProps {
  readonly index: number;
  readonly count: number;
  readonly drag: DragOrder;
  readonly words: {
    readonly row: (number: number) => string;
    readonly up: (number: number) => string;
    readonly down: (number: number) => string;
    readonly remove: (number: number) => string;
  };
  /** Class of the columns. */
  readonly columns: string | undefined;
  /** The cell that takes the focus after a move from none of the cells. */
  readonly mainCell: string;
  readonly onMove: (to: number, cell: string) => void;
  readonly onRemove: () => void;
  /** More buttons. */
  readonly actions?: ReactNode;
  readonly notes: ReactNode;
  readonly children: ReactNode;
}

/** A row that moves by its buttons, with Alt and an arrow key, or by its handle. */
export function MovableLine(props: MovableLineProps) {
  const { index, drag, words, mainCell, onMove } = props;
  const { readOnly } = useForm();
  const number = index + 1;
  // Before the inputs: an arrow key opens their options.
  const onKeyDownCapture = (event: KeyboardEvent) => {
    if (readOnly || !event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    event.stopPropagation();
    const cell = (event.target as HTMLElement).closest<HTMLElement>('[data-cell]')?.dataset.cell ?? mainCell;
    onMove(index + (event.key === 'ArrowUp' ? -1 : 1), cell);
  };
  return (
    <fieldset
      className={compact.line}
      data-line={index}
      aria-label={words.row(number)}
      aria-keyshortcuts={readOnly ? undefined : 'Alt+ArrowUp Alt+ArrowDown'}
      onKeyDownCapture={onKeyDownCapture}
      {...(readOnly ? {} : drag.line(index))}
    >
      <div className={props.columns}>
        {props.children}
        <span className={compact.actions}>
          {props.actions}
          {!readOnly && <MoveButtons {...props} />}
        </span>
      </div>
      {props.notes}
    </fieldset>
  );
}

function MoveButtons({ index, count, words, drag, onMove, onRemove }: MovableLineProps) {
  const number = index + 1;
  return (
    <>
      <span data-cell="up">
        <ActionButton
          label={words.up(number)}
          Icon={IconArrowUp}
          disabled={index === 0}
          onClick={() => onMove(index - 1, 'up')}
        />
      </span>
      <span data-cell="down">
        <ActionButton
          label={words.down(number)}
          Icon={IconArrowDown}
          disabled={index === count - 1}
          onClick={() => onMove(index + 1, 'down')}
        />
      </span>
      <ActionButton label={words.remove(number)} Icon={IconX} onClick={onRemove} />
      <span className={compact.handle} data-handle="" aria-hidden {...drag.handle(index)}>
        <IconGripVertical size={15} />
      </span>
    </>
  );
}
