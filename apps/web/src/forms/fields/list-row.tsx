import { IconDots, IconPlus } from '@tabler/icons-react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import buttons from '../buttons.module.css';
import { CompactView } from '../compact/compact-view.tsx';
import styles from '../form.module.css';
import { useAsked, useFocusTarget, useForm, useIsOpen } from '../form-context.ts';
import { emptyAny } from '../model/any.ts';
import { describeRules } from '../model/describe-rules.ts';
import { initialValue } from '../model/initial-value.ts';
import { isList, type Json } from '../model/json.ts';
import { toLabel } from '../model/names.ts';
import { joinPath } from '../model/path.ts';
import { itemField } from '../model/rules.ts';
import { summarize } from '../model/summary.ts';
import { isInline, kindOf } from '../model/well-known.ts';
import { FieldDocs } from './field-docs.tsx';
import { FieldLabelText } from './field-label.tsx';
import { GroupHeader } from './group-header.tsx';
import groups from './groups.module.css';
import { InlineItem } from './inline-item.tsx';
import { Notes } from './notes.tsx';
import { pickExtension, toHolder } from './pick-extension.ts';
import { RemoveButton } from './remove-button.tsx';
import type { RowProps } from './row-props.ts';
import { texts } from './texts.tsx';
import { useRow } from './use-row.ts';

const words = texts.listRow;

const NO_ITEMS: readonly Json[] = [];
/** Number of items that a list renders at once. */
const SHOWN_STEP = 100;

/** Renders a list: a header with the count, and the items. */
export function ListRow(props: RowProps) {
  const { field, value, at } = props;
  const form = useForm();
  const { state, readOnly, Row } = form;
  const isOpen = useIsOpen(at);
  const isAsked = useAsked(props.parentAt).has(field.name);
  const target = useFocusTarget<HTMLDivElement>(at);
  const addButton = useRef<HTMLButtonElement>(null);
  const row = useRow(props);
  const { range, setRange } = useRange(at);
  const { from, to } = range;
  const items = isList(value) ? value : NO_ITEMS;
  const item = itemField(field);
  const isInlineItem = isInline(item);
  const slot = props.slot ?? field.slot;
  const label = props.label ?? toLabel(field.name);

  const insert = (index: number, fresh: Json) => {
    state.setOpen(at, true);
    state.insertItem(at, index, fresh);
    state.requestFocus(joinPath(at, index));
  };
  const add = (anchor: HTMLElement | null) => {
    const kind = kindOf(item.value);
    if (!slot || !anchor || (kind.kind !== 'message' && kind.kind !== 'any')) {
      insert(items.length, initialValue(item));
      return;
    }
    pickExtension(form, {
      anchor,
      slot,
      selected: undefined,
      allowReference: true,
      onPick: (picked) => {
        if (kind.kind !== 'message') {
          insert(items.length, picked.kind === 'reference' ? { $ref: picked.ref } : emptyAny(picked.extension.type));
          return;
        }
        void toHolder(form.source, { type: kind.type, picked, before: undefined }).then((holder) =>
          insert(items.length, holder),
        );
      },
    });
  };
  const noun = items.length === 1 ? 'item' : 'items';
  const summary = items.length === 0 ? words.none : isOpen || row.secret ? `${items.length} ${noun}` : summarize(items);
  const body = (
    <>
      {from > 0 && (
        <MoreButton
          text={words.showBefore}
          quiet={`${from} of ${items.length}`}
          onClick={() => setRange({ from: Math.max(0, from - SHOWN_STEP), to })}
        />
      )}
      {items.slice(from, to).map((one, offset) => {
        const index = from + offset;
        const shared = {
          field: item,
          value: one,
          at: joinPath(at, index),
          parentAt: at,
          slot: slot,
          secret: row.secret,
          label: `${index + 1}`,
          index,
          count: items.length,
        };
        // Items have no ID, so their position is the key, and their open state moves with them.
        const key = `${at}:${index}`;
        return isInlineItem ? (
          <InlineItem key={key} {...shared} onEnter={() => insert(index + 1, initialValue(item))} />
        ) : (
          <Row key={key} {...shared} />
        );
      })}
      {to < items.length && (
        <MoreButton
          text={words.showMore}
          quiet={`${from + 1} to ${to} of ${items.length}`}
          onClick={() => setRange({ from, to: to + SHOWN_STEP })}
        />
      )}
      {!readOnly && (
        <button type="button" ref={addButton} className={buttons.addButton} onClick={() => add(addButton.current)}>
          <IconPlus size={14} aria-hidden />
          {words.add(items.length === 0 ? `to ${label}` : 'another')}
        </button>
      )}
    </>
  );
  return (
    <div className={groups.nested} data-row="group" data-at={at} ref={target}>
      <GroupHeader
        id={row.id}
        isOpen={isOpen}
        label={<FieldLabelText field={field} label={props.label} />}
        summary={summary}
        codeSummary={!isOpen && !row.secret && items.length > 0}
        muted={items.length === 0}
        problems={isOpen ? 0 : row.below}
        onToggle={() => state.setOpen(at, !isOpen)}
        actions={
          <>
            <FieldDocs props={props} />
            {!readOnly && (row.isSet || isAsked) && <RemoveButton label={words.remove(label)} onRemove={row.remove} />}
          </>
        }
      />
      {isOpen && (
        <div className={groups.body} data-body="">
          {field.hint && <p className={styles.lead}>{field.hint}</p>}
          <Notes id={row.id} rules={describeRules(field)} breaches={row.breaches} findings={row.findings} />
          {props.compact && !row.secret ? (
            <CompactView editor={props.compact} value={value} at={at} label={label}>
              {body}
            </CompactView>
          ) : (
            body
          )}
        </div>
      )}
    </div>
  );
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Returns the rendered range of items, which grows on request and includes the item to focus. */
function useRange(at: string): { readonly range: Range; readonly setRange: (range: Range) => void } {
  const { state } = useForm();
  const [range, setRange] = useState<Range>({ from: 0, to: SHOWN_STEP });
  const wanted = useSyncExternalStore(state.subscribe, () => state.focusIndex(at));
  useEffect(() => {
    if (wanted !== undefined && (wanted < range.from || wanted >= range.to)) setRange(rangeAround(wanted, range));
  }, [wanted, range]);
  return { range, setRange };
}

/** Extends the range to a near index, or moves it to a distant one. */
function rangeAround(index: number, { from, to }: Range): Range {
  if (index >= to && index < to + SHOWN_STEP) return { from, to: to + SHOWN_STEP };
  const start = Math.max(0, index - SHOWN_STEP / 2);
  return { from: start, to: start + SHOWN_STEP };
}

function MoreButton({
  text,
  quiet,
  onClick,
}: {
  readonly text: string;
  readonly quiet: string;
  readonly onClick: () => void;
}) {
  return (
    <button type="button" className={buttons.addButton} onClick={onClick}>
      <IconDots size={14} aria-hidden />
      {text}
      <span className={styles.quiet}>{quiet}</span>
    </button>
  );
}
