import styles from '../form.module.css';
import { toLabel } from '../model/names.ts';
import type { FieldDescription } from '../schema-source.ts';
import { texts } from './texts.tsx';

const text = texts.fieldLabel;

/** Label of a control, with its API name on hover. */
export function FieldLabelText({
  field,
  label,
}: {
  readonly field: FieldDescription;
  readonly label?: string | undefined;
}) {
  return (
    <>
      <span title={label === undefined ? field.name : undefined}>{label ?? toLabel(field.name)}</span>
      {field.required && (
        <span className={styles.required} title={text.required} aria-hidden>
          {' '}
          *
        </span>
      )}
      {field.deprecated && (
        <span className={styles.badge}>
          {field.disallowed
            ? text.refused
            : `deprecated${field.deprecated_since ? text.since(field.deprecated_since) : ''}`}
        </span>
      )}
    </>
  );
}
