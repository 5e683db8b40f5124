import { IconArrowUpRight } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import buttons from '../buttons.module.css';
import { ChoiceButton } from '../controls/choice-button.tsx';
import controls from '../controls/controls.module.css';
import styles from '../form.module.css';
import { useFocusTarget, useForm } from '../form-context.ts';
import { withoutArms } from '../model/findings.ts';
import type { PickerRequest } from '../picker/picker-request.ts';
import { FieldDocs } from './field-docs.tsx';
import { FieldLabelText } from './field-label.tsx';
import { ItemActions } from './item-actions.tsx';
import { describedBy, Notes } from './notes.tsx';
import { RemoveButton } from './remove-button.tsx';
import { isElement, type RowProps } from './row-props.ts';
import { texts } from './texts.tsx';
import type { Row } from './use-row.ts';

const words = texts.extensionRow;

interface ChoiceRowProps {
  readonly props: RowProps;
  readonly row: Row;
  readonly label: string;
  readonly text: string;
  readonly code?: boolean | undefined;
  readonly muted?: boolean | undefined;
  readonly detail?: string | undefined;
  readonly options: PickerRequest['options'];
  readonly more?: PickerRequest['more'];
  readonly selected?: string | undefined;
  readonly onPick: (id: string) => void;
  /** Rendered below the control. */
  readonly children?: ReactNode;
}

/** Selects an extension, or a stored document that replaces it. */
export function ExtensionRow({ props, row, label, text, children, ...choice }: ChoiceRowProps) {
  const { readOnly } = useForm();
  const target = useFocusTarget<HTMLDivElement>(props.at);
  const button = useRef<HTMLButtonElement>(null);
  const notes = {
    id: row.id,
    hint: isElement(props) ? undefined : props.field.hint,
    breaches: row.breaches,
    findings: withoutArms(row.findings),
  };
  return (
    <div
      className={styles.row}
      data-row="line"
      data-reveals=""
      data-item={props.index !== undefined || undefined}
      data-at={props.at}
      ref={target}
    >
      <label className={styles.label} htmlFor={row.id} data-code={props.codeLabel || undefined}>
        <FieldLabelText field={props.field} label={props.label} />
      </label>
      <div className={styles.control}>
        <div className={controls.withButton}>
          <ChoiceButton
            {...choice}
            id={row.id}
            ref={button}
            text={text}
            label={label}
            describedBy={describedBy(notes)}
            invalid={notes.breaches.length + notes.findings.length > 0}
            readOnly={readOnly}
            title={texts.pickExtension.picker.search}
          />
          {choice.detail === REFERENCE && <DocumentLink reference={text} />}
        </div>
        {children}
        <Notes {...notes} />
      </div>
      <div className={styles.actions}>
        <FieldDocs props={props} />
        {props.index !== undefined && !readOnly && <ItemActions {...props} index={props.index} onRemove={row.remove} />}
        {props.index === undefined && row.isSet && !readOnly && (
          <RemoveButton label={texts.listRow.remove(label)} onRemove={row.remove} />
        )}
      </div>
    </div>
  );
}

/** Links to a stored document, if it has a page. */
function DocumentLink({ reference }: { readonly reference: string }) {
  const { linkTo } = useForm();
  const [collection, ...name] = reference.split('/');
  const link = collection ? linkTo(collection, name.join('/')) : undefined;
  if (link === undefined) return null;
  const label = words.row.open(reference);
  return (
    <a className={buttons.iconButton} href={link} target="_blank" rel="noreferrer" title={label} aria-label={label}>
      <IconArrowUpRight size={15} aria-hidden />
    </a>
  );
}

export const REFERENCE = words.reference.storedDocument;
