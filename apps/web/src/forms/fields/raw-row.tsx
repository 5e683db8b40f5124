import { JsonControl } from '../controls/json-control.tsx';
import styles from '../form.module.css';
import { useFocusTarget, useForm } from '../form-context.ts';
import { describedBy, Notes } from './notes.tsx';
import { RemoveButton } from './remove-button.tsx';
import type { RowProps } from './row-props.ts';
import { texts } from './texts.tsx';
import { useRow } from './use-row.ts';

/** Fallback: shows a value as JSON. */
export function RawRow(props: RowProps & { readonly reason: string }) {
  const { readOnly } = useForm();
  const row = useRow(props);
  const target = useFocusTarget<HTMLDivElement>(props.at);
  const label = props.label ?? props.field.name;
  const notes = { id: row.id, hint: props.reason, breaches: row.breaches, findings: row.findings };
  return (
    <div className={styles.row} data-row="line" data-reveals="" data-at={props.at} ref={target}>
      <label className={styles.label} htmlFor={row.id} data-code>
        {label}
      </label>
      <div className={styles.control}>
        <JsonControl
          id={row.id}
          field={props.field}
          value={props.value}
          describedBy={describedBy(notes)}
          invalid={row.breaches.length + row.findings.length > 0}
          readOnly={readOnly}
          keepsEmpty
          onCommit={row.commit}
        />
        <Notes {...notes} />
      </div>
      <div className={styles.actions}>
        {!readOnly && <RemoveButton label={texts.listRow.remove(label)} onRemove={row.remove} />}
      </div>
    </div>
  );
}
