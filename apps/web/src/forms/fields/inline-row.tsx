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
import { useRow } from './use-row.ts';

const text = texts.inlineRow;

interface InlineRowProps extends RowProps {
  /** Selection of the oneof that the field belongs to. */
  readonly choice?: ReactNode;
  readonly onEnter?: (() => void) | undefined;
}

/** A label with its control beside it. */
export function InlineRow(props: InlineRowProps) {
  const { field, value, at, choice } = props;
  const { readOnly, state } = useForm();
  const asked = useAsked(props.parentAt);
  const places = useContext(PrivateContext);
  const isCleared = value === null && places.at(at) !== undefined;
  const row = useRow(props);
  const target = useFocusTarget<HTMLDivElement>(at);
  const { id, breaches, findings, stored } = row;
  const hint = stored ? storedHint(stored.updated_at) : isElement(props) ? undefined : field.hint;
  const notes = { id, hint, rules: isElement(props) ? undefined : describeRules(field), breaches, findings };
  const label = props.label ?? toLabel(field.name);
  const isGroup = kindOf(field.value).kind === 'scalar' && field.value.type.endsWith('BoolValue');
  const removable = !readOnly && !isElement(props) && (row.isSet || asked.has(field.name));

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
          {isCleared ? (
            <span className={styles.quiet}>
              {text.clearedOnSave(
                <button type="button" className={buttons.textButton} onClick={() => state.remove(at)}>
                  {texts.nestedRow.cleared.keep}
                </button>,
              )}
            </span>
          ) : (
            <ValueControl
              id={id}
              field={field}
              value={value ?? undefined}
              label={choice || isGroup || isElement(props) ? label : undefined}
              describedBy={describedBy(notes)}
              invalid={breaches.length + findings.length > 0}
              readOnly={readOnly}
              secret={row.secret}
              keepsEmpty={isElement(props) || field.oneof !== undefined}
              onCommit={row.commit}
              onEnter={props.onEnter}
            />
          )}
        </div>
        <Notes {...notes} />
      </div>
      <div className={styles.actions}>
        <FieldDocs props={props} />
        {props.index !== undefined && !readOnly && <ItemActions {...props} index={props.index} onRemove={row.remove} />}
        {removable && !stored && !isCleared && (
          <RemoveButton label={texts.listRow.remove(label)} onRemove={row.remove} />
        )}
        {stored && !readOnly && !field.required && (
          <RemoveButton label={texts.nestedRow.actions.clearStored(label)} onRemove={() => state.set(at, null)} />
        )}
      </div>
    </div>
  );
}

/** Returns the hint for a field whose stored value is kept. */
export function storedHint(updatedAt: string): string {
  const time = new Date(updatedAt);
  const day = Number.isNaN(time.getTime()) ? updatedAt : time.toLocaleDateString(undefined, { dateStyle: 'medium' });
  return text.stored(day);
}
