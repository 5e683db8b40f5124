import type { TablerIcon } from '@tabler/icons-react';
import { IconArrowDown, IconArrowUp, IconCopy, IconX } from '@tabler/icons-react';
import { type KeyboardEvent, useContext } from 'react';
import buttons from '../buttons.module.css';
import { type FormEnvironment, PrivateContext, useForm } from '../form-context.ts';
import { joinPath } from '../model/path.ts';
import type { RowProps } from './row-props.ts';
import { texts } from './texts.tsx';

const text = texts.itemActions;

interface ItemActionsProps extends RowProps {
  readonly index: number;
  readonly onRemove: () => void;
}

/** Buttons of an item. They are one tab stop: arrow keys move among them. */
export function ItemActions(props: ItemActionsProps) {
  const actions = useActions(props);
  const stop = actions.findLast(({ off }) => !off)?.id;
  return (
    <div
      className={buttons.itemActions}
      role="toolbar"
      aria-label={text.title(props.index + 1)}
      onKeyDown={moveAmongButtons}
    >
      {actions.map(({ id, title, Icon, off, run }) => (
        <button
          key={id}
          type="button"
          className={buttons.iconButton}
          data-quiet
          data-action={id}
          aria-label={title}
          title={title}
          disabled={off}
          tabIndex={id === stop ? 0 : -1}
          onClick={run}
        >
          <Icon size={15} aria-hidden />
        </button>
      ))}
    </div>
  );
}

interface Action {
  readonly id: string;
  readonly title: string;
  readonly Icon: TablerIcon;
  /** Whether the item cannot do this now. */
  readonly off: boolean;
  readonly run: () => void;
}

function useActions({ index, count = 0, parentAt, at, onRemove }: ItemActionsProps): readonly Action[] {
  const { state } = useForm();
  const places = useContext(PrivateContext);
  const isTied = places.isTied(parentAt);
  const isFollowedByTied = places.isTied(parentAt, index + 1);
  const reason = isTied ? text.tiedBySecrets : '';
  const name = text.item(index + 1);
  const move = (to: number) => moveAndFollow(state, { listAt: parentAt, from: index, to });
  const copy = () => {
    const value = state.get(at);
    if (value === undefined) return;
    state.insertItem(parentAt, index + 1, value);
    state.requestFocus(joinPath(parentAt, index + 1));
  };
  const remove = () => {
    onRemove();
    const left = count - 1;
    state.requestFocus(left === 0 ? parentAt : joinPath(parentAt, Math.min(index, left - 1)), { open: false });
  };
  const isFirst = index === 0;
  const isLast = index >= count - 1;
  const whyKept = isFollowedByTied ? reason : '';
  return [
    { id: 'up', title: text.up(name, reason), Icon: IconArrowUp, off: isTied || isFirst, run: () => move(index - 1) },
    {
      id: 'down',
      title: text.down(name, reason),
      Icon: IconArrowDown,
      off: isTied || isLast,
      run: () => move(index + 1),
    },
    { id: 'copy', title: text.copy(name, reason), Icon: IconCopy, off: isFollowedByTied, run: copy },
    { id: 'remove', title: text.remove(name, whyKept), Icon: IconX, off: isFollowedByTied, run: remove },
  ];
}

/** Moves an item when Alt and an arrow key are pressed on it. */
export function moveOnAltArrow(
  event: KeyboardEvent,
  { state }: FormEnvironment,
  item: { listAt: string; index: number },
): void {
  if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
  event.preventDefault();
  moveAndFollow(state, { listAt: item.listAt, from: item.index, to: item.index + (event.key === 'ArrowUp' ? -1 : 1) });
}

function moveAndFollow(
  state: FormEnvironment['state'],
  { listAt, from, to }: { listAt: string; from: number; to: number },
): void {
  state.moveItem(listAt, from, to);
  state.requestFocus(joinPath(listAt, to), { open: false });
}

function moveAmongButtons(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (step === 0) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('button:not([disabled])')];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  buttons[(at + step + buttons.length) % buttons.length]?.focus();
  event.preventDefault();
}
