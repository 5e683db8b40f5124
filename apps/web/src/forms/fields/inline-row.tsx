import { type ReactNode, useContext } from 'react';
import buttons from '../buttons.module.css';
import controls from '../controls/controls.module.css';
import { ValueControl } from '../controls/value-control.tsx';
import styles from '../form.module.css';
import { PrivateContext, useAsked, useFocusTarget, useForm } from '../form-context.ts';
import { describeRules } from '../model/describe-rules.ts';
import { toLabel } from '../model/names.ts';
import { kindOf } from '../model/well-known.ts';
import { FieldDocs } from './field-docs.tsx';
import { FieldLabelText } from './field-label.tsx';
import { ItemActions } from './item-actions.tsx';
import { describedBy, Notes } from './notes.tsx';
import { RemoveButton } from './remove-button.tsx';
import { isElement, type RowProps } from './row-props.ts';
import { texts } from './texts.tsx';
import { type Row, useRow } from './use-row.ts';

const text = texts.inlineRow;

interface InlineRowProps extends RowProps {
  /** Selection of the oneof that the field belongs to. */
  readonly choice?: ReactNode;
  readonly onEnter?: (() => void) | undefined;
}

/** A label with its control beside it. */
export function InlineRow(props: InlineRowProps) {
  const { field, at, choice } = props;
  const row = useRow(props);
  const target = useFocusTarget<HTMLDivElement>(at);
  const isCleared = useIsCleared(props);
  const { id, breaches, findings, stored } = row;
  const hint = stored ? storedHint(stored.updated_at) : isElement(props) ? undefined : field.hint;
  const notes = { id, hint, rules: isElement(props) ? undefined : describeRules(field), breaches, findings };
  return (
    <div
      className={styles.row}
      data-row="line"
      data-reveals=""
      data-item={props.index !== undefined || undefined}
      data-at={at}
      ref={target}
    >
      <label className={styles.label} htmlFor={id} data-code={props.codeLabel || undefined}>
        <FieldLabelText field={field} label={props.label} />
      </label>
      <div className={styles.control}>
        <div className={choice ? controls.chosen : undefined}>
          {choice}
          {isCleared ? <Cleared at={at} /> : <InlineControl {...props} row={row} describedBy={describedBy(notes)} />}
        </div>
        <Notes {...notes} />
      </div>
      <div className={styles.actions}>
        <InlineActions {...props} row={row} />
      </div>
    </div>
  );
}

/** Whether the next save clears the stored value. */
function useIsCleared({ value, at }: RowProps): boolean {
  return useContext(PrivateContext).at(at) !== undefined && value === null;
}

function Cleared({ at }: { readonly at: string }) {
  const { state } = useForm();
  return (
    <span className={styles.quiet}>
      {text.clearedOnSave(
        <button type="button" className={buttons.textButton} onClick={() => state.remove(at)}>
          {texts.nestedRow.cleared.keep}
        </button>,
      )}
    </span>
  );
}

interface InlineControlProps extends InlineRowProps {
  readonly row: Row;
  readonly describedBy: string | undefined;
}

function InlineControl({ row, describedBy, ...props }: InlineControlProps) {
  const { field, value } = props;
  const { readOnly } = useForm();
  const isGroup = kindOf(field.value).kind === 'scalar' && field.value.type.endsWith('BoolValue');
  const isUnlabelled = props.choice || isGroup || isElement(props);
  return (
    <ValueControl
      id={row.id}
      field={field}
      value={value ?? undefined}
      label={isUnlabelled ? (props.label ?? toLabel(field.name)) : undefined}
      describedBy={describedBy}
      invalid={row.breaches.length + row.findings.length > 0}
      readOnly={readOnly}
      secret={row.secret}
      keepsEmpty={isElement(props) || field.oneof !== undefined}
      onCommit={row.commit}
      onEnter={props.onEnter}
    />
  );
}

function InlineActions({ row, ...props }: InlineRowProps & { readonly row: Row }) {
  const { field, at } = props;
  const { readOnly, state } = useForm();
  const isAsked = useAsked(props.parentAt).has(field.name);
  const isCleared = useIsCleared(props);
  const { stored } = row;
  const label = props.label ?? toLabel(field.name);
  const isRemovable = !readOnly && !isElement(props) && (row.isSet || isAsked) && !stored && !isCleared;
  return (
    <>
      <FieldDocs props={props} />
      {props.index !== undefined && !readOnly && <ItemActions {...props} index={props.index} onRemove={row.remove} />}
      {isRemovable && <RemoveButton label={texts.listRow.remove(label)} onRemove={row.remove} />}
      {stored && !readOnly && !field.required && (
        <RemoveButton label={texts.nestedRow.actions.clearStored(label)} onRemove={() => state.set(at, null)} />
      )}
    </>
  );
}

/** Returns the hint for a field whose stored value is kept. */
export function storedHint(updatedAt: string): string {
  const time = new Date(updatedAt);
  const day = Number.isNaN(time.getTime()) ? updatedAt : time.toLocaleDateString(undefined, { dateStyle: 'medium' });
  return text.stored(day);
}
