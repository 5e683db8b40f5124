import styles from '../form.module.css';
import { toLabel } from '../model/names.ts';
import type { FieldDescription } from '../schema-source.ts';

/** What stands in front of a control; its name in the API is a hover away. */
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
        <span className={styles.required} title="Required" aria-hidden>
          {' '}
          *
        </span>
      )}
      {field.deprecated && (
        <span className={styles.badge}>
          {field.disallowed
            ? 'refused by Envoy'
            : `deprecated${field.deprecated_since ? ` since ${field.deprecated_since}` : ''}`}
        </span>
      )}
    </>
  );
}
