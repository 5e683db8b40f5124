import { IconX } from '@tabler/icons-react';
import { useContext } from 'react';
import buttons from '../buttons.module.css';
import controls from '../controls/controls.module.css';
import styles from '../form.module.css';
import { PrivateContext, useFocusTarget, useForm, useIsOpen } from '../form-context.ts';
import { refOf } from '../model/any.ts';
import { withoutArms } from '../model/findings.ts';
import type { Json } from '../model/json.ts';
import { toLabel } from '../model/names.ts';
import { summarize } from '../model/summary.ts';
import { ExtensionRow, REFERENCE } from './extension-row.tsx';
import { FieldDocs } from './field-docs.tsx';
import { FieldLabelText } from './field-label.tsx';
import { GroupHeader } from './group-header.tsx';
import groups from './groups.module.css';
import { storedHint } from './inline-row.tsx';
import { ItemActions, moveOnAltArrow } from './item-actions.tsx';
import { Notes } from './notes.tsx';
import { offerExtensions, toHolder } from './pick-extension.ts';
import { RemoveButton } from './remove-button.tsx';
import type { RowProps } from './row-props.ts';
import { texts } from './texts.tsx';
import { type Row, useRow } from './use-row.ts';

const text = texts.nestedRow;

type NestedRowProps = RowProps & { readonly type: string };

/** Renders a message inside a message: a header with a summary, and its fields while it is open. */
export function NestedRow(props: NestedRowProps) {
  const row = useRow(props);
  const places = useContext(PrivateContext);
  const slot = props.slot ?? props.field.slot;
  const isReference = refOf(props.value) !== undefined;
  if (isReference || (slot !== undefined && !row.isSet)) return <HolderRow {...props} slot={slot} row={row} />;
  if (props.value === null && places.at(props.at)) return <ClearedRow {...props} />;
  return <MessageRow {...props} slot={slot} row={row} />;
}

type MessageRowProps = NestedRowProps & { readonly row: Row };

function MessageRow(props: MessageRowProps) {
  const { field, value, at, row, index } = props;
  const form = useForm();
  const isOpen = useIsOpen(at);
  const target = useFocusTarget<HTMLDivElement>(at);
  const isItem = index !== undefined;
  const summary = isOpen && !isItem ? '' : describeState(row, value);
  return (
    <div className={groups.nested} data-row="group" data-at={at} ref={target}>
      <GroupHeader
        id={row.id}
        isOpen={isOpen}
        label={
          isItem ? (
            <span className={groups.number}>{index + 1}</span>
          ) : (
            <FieldLabelText field={field} label={props.label} />
          )
        }
        summary={summary}
        codeSummary={row.isSet && summary !== SET}
        muted={!row.isSet && row.stored === undefined}
        problems={isOpen ? 0 : row.below}
        onToggle={() => form.state.setOpen(at, !isOpen)}
        onKeyDown={
          isItem && !form.readOnly
            ? (event) => moveOnAltArrow(event, form, { listAt: props.parentAt, index })
            : undefined
        }
        shortcuts={isItem ? 'Alt+ArrowUp Alt+ArrowDown' : undefined}
        actions={<MessageActions {...props} />}
      />
      {isOpen && <MessageBody {...props} />}
    </div>
  );
}

function MessageActions({ row, ...props }: MessageRowProps) {
  const { readOnly } = useForm();
  if (props.index === undefined) {
    return (
      <>
        <FieldDocs props={props} />
        <GroupActions props={props} row={row} label={props.label ?? toLabel(props.field.name)} />
      </>
    );
  }
  return readOnly ? null : <ItemActions {...props} index={props.index} onRemove={row.remove} />;
}

function MessageBody({ field, value, at, type, slot, row, index }: MessageRowProps) {
  const { state, readOnly, Fields } = useForm();
  return (
    <div className={groups.body} data-body="">
      {field.hint && index === undefined && <p className={styles.lead}>{field.hint}</p>}
      {row.stored && <p className={styles.lead}>{storedHint(row.stored.updated_at)}</p>}
      <Notes id={row.id} breaches={row.breaches} findings={withoutArms(row.findings)} />
      {!row.isSet && !row.stored && !readOnly && (
        <p className={styles.lead}>
          {text.message.notSet(
            <button type="button" className={buttons.textButton} onClick={() => state.set(at, {})}>
              {text.message.setDefaults}
            </button>,
          )}
        </p>
      )}
      <Fields type={type} value={value ?? undefined} at={at} slot={slot} secret={row.secret} />
    </div>
  );
}

const SET = text.set.set;

function describeState(row: Row, value: Json | undefined): string {
  if (row.isSet) return (row.secret ? '' : summarize(value)) || SET;
  return row.stored ? text.state.setNotShown : text.state.notSet;
}

/** Renders a stored value that the next save clears. */
function ClearedRow({ field, label, at }: NestedRowProps) {
  const { state, readOnly } = useForm();
  const target = useFocusTarget<HTMLDivElement>(at);
  return (
    <div className={styles.row} data-row="line" data-reveals="" data-at={at} ref={target}>
      <span className={styles.label}>
        <FieldLabelText field={field} label={label} />
      </span>
      <span className={controls.chosenText}>
        <span className={styles.quiet}>{text.cleared.clearedOnSave}</span>
        {!readOnly && (
          <button type="button" className={buttons.textButton} onClick={() => state.remove(at)}>
            {text.cleared.keep}
          </button>
        )}
      </span>
    </div>
  );
}

function GroupActions({ props, row, label }: { readonly props: RowProps; readonly row: Row; readonly label: string }) {
  const { readOnly, state } = useForm();
  if (readOnly) return null;
  const isAsked = state.asked(props.parentAt).has(props.field.name);
  if (row.isSet || (isAsked && !row.stored))
    return <RemoveButton label={texts.listRow.remove(label)} onRemove={row.remove} />;
  if (!row.stored || props.field.required) return null;
  return (
    <button
      type="button"
      className={buttons.iconButton}
      data-quiet
      aria-label={text.actions.clearStored(label)}
      title={text.actions.clearStored(label)}
      onClick={() => state.set(props.at, null)}
    >
      <IconX size={15} aria-hidden />
    </button>
  );
}

/** Offers a selection while the message is empty or a reference. */
function HolderRow(props: NestedRowProps & { readonly row: Row }) {
  const { value, at, row, slot, type } = props;
  const form = useForm();
  const ref = refOf(value);
  const label = props.label ?? toLabel(props.field.name);
  const offer = offerExtensions(form.source, {
    slot,
    selected: undefined,
    allowReference: true,
    onPick: (picked) => {
      void toHolder(form.source, { type, picked, before: undefined }).then((holder) => {
        form.state.set(at, holder);
        if (picked.kind === 'extension') form.state.requestFocus(at);
      });
    },
  });
  return (
    <ExtensionRow
      props={props}
      row={row}
      label={label}
      text={ref ?? text.holder.notSet}
      code={ref !== undefined}
      muted={ref === undefined}
      detail={ref === undefined ? undefined : REFERENCE}
      {...offer}
    />
  );
}
