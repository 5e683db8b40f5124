import { IconDots, IconPlus } from '@tabler/icons-react';
import buttons from '../buttons.module.css';
import styles from '../form.module.css';
import { useForm } from '../form-context.ts';
import { emptyAny } from '../model/any.ts';
import { initialValue } from '../model/initial-value.ts';
import type { Json } from '../model/json.ts';
import { toLabel } from '../model/names.ts';
import { joinPath } from '../model/path.ts';
import { itemField } from '../model/rules.ts';
import { isInline, kindOf } from '../model/well-known.ts';
import { InlineItem } from './inline-item.tsx';
import { pickExtension, toHolder } from './pick-extension.ts';
import type { RowProps } from './row-props.ts';
import { texts } from './texts.tsx';

const words = texts.listRow;

/** The range of items that a list renders. */
export interface ShownItems {
  readonly from: number;
  readonly to: number;
  readonly showBefore: () => void;
  readonly showMore: () => void;
}

interface ListItemsProps {
  /** Props of the list's row. */
  readonly props: RowProps;
  readonly items: readonly Json[];
  readonly secret: boolean;
  readonly shown: ShownItems;
}

/** Renders the items of a list around the current one, and the button that adds one. */
export function ListItems({ props, items, secret, shown }: ListItemsProps) {
  const { field, at } = props;
  const { readOnly, Row } = useForm();
  const { insert, append } = useNewItem(props, items.length);
  const item = itemField(field);
  const shared = { field: item, parentAt: at, slot: props.slot ?? field.slot, secret, count: items.length };
  const { from, to } = shown;
  return (
    <>
      {from > 0 && (
        <MoreButton text={words.showBefore} quiet={`${from} of ${items.length}`} onClick={shown.showBefore} />
      )}
      {items.slice(from, to).map((value, offset) => {
        const index = from + offset;
        const own = { value, at: joinPath(at, index), label: `${index + 1}`, index };
        // Items have no ID, so their position is the key, and their open state moves with them.
        const key = `${at}:${index}`;
        return isInline(item) ? (
          <InlineItem key={key} {...shared} {...own} onEnter={() => insert(index + 1, initialValue(item))} />
        ) : (
          <Row key={key} {...shared} {...own} />
        );
      })}
      {to < items.length && (
        <MoreButton text={words.showMore} quiet={`${from + 1} to ${to} of ${items.length}`} onClick={shown.showMore} />
      )}
      {!readOnly && (
        <button type="button" className={buttons.addButton} onClick={(event) => append(event.currentTarget)}>
          <IconPlus size={14} aria-hidden />
          {words.add(items.length === 0 ? `to ${props.label ?? toLabel(field.name)}` : 'another')}
        </button>
      )}
    </>
  );
}

/** Adds items to a list: with their initial value, or, for an extension, with what the user picks. */
function useNewItem({ field, at, slot = field.slot }: RowProps, count: number) {
  const form = useForm();
  const { state, source } = form;
  const insert = (index: number, fresh: Json) => {
    state.setOpen(at, true);
    state.insertItem(at, index, fresh);
    state.requestFocus(joinPath(at, index));
  };
  const append = (anchor: HTMLElement) => {
    const item = itemField(field);
    const kind = kindOf(item.value);
    if (!slot || (kind.kind !== 'message' && kind.kind !== 'any')) {
      insert(count, initialValue(item));
      return;
    }
    pickExtension(form, {
      anchor,
      slot,
      selected: undefined,
      allowReference: true,
      onPick: (picked) => {
        if (kind.kind !== 'message') {
          insert(count, picked.kind === 'reference' ? { $ref: picked.ref } : emptyAny(picked.extension.type));
          return;
        }
        void toHolder(source, { type: kind.type, picked, before: undefined }).then((holder) => insert(count, holder));
      },
    });
  };
  return { insert, append };
}

interface MoreButtonProps {
  readonly text: string;
  readonly quiet: string;
  readonly onClick: () => void;
}

function MoreButton({ text, quiet, onClick }: MoreButtonProps) {
  return (
    <button type="button" className={buttons.addButton} onClick={onClick}>
      <IconDots size={14} aria-hidden />
      {text}
      <span className={styles.quiet}>{quiet}</span>
    </button>
  );
}
