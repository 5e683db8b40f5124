import type { ReactNode } from 'react';
import styles from '../form.module.css';
import { useAsked, useFocusTarget, useForm } from '../form-context.ts';
import { describeRules } from '../model/describe-rules.ts';
import { toLabel } from '../model/names.ts';
import { FieldDocs } from './field-docs.tsx';
import { FieldLabelText } from './field-label.tsx';
import { GroupHeader } from './group-header.tsx';
import groups from './groups.module.css';
import { Notes } from './notes.tsx';
import { RemoveButton } from './remove-button.tsx';
import type { RowProps } from './row-props.ts';
import { texts } from './texts.tsx';
import type { Row } from './use-row.ts';

interface CollectionGroupProps {
  readonly props: RowProps;
  readonly row: Row;
  readonly isOpen: boolean;
  readonly isEmpty: boolean;
  readonly summary: string;
  /** Whether the summary is content of the document. */
  readonly codeSummary: boolean;
  readonly children: ReactNode;
}

/** Renders the header of a list or a map, and its elements while it is open. */
export function CollectionGroup({ props, row, isOpen, isEmpty, children, ...summary }: CollectionGroupProps) {
  const { field, at } = props;
  const { state, readOnly } = useForm();
  const isAsked = useAsked(props.parentAt).has(field.name);
  const target = useFocusTarget<HTMLDivElement>(at);
  const label = props.label ?? toLabel(field.name);
  return (
    <div className={groups.nested} data-row="group" data-at={at} ref={target}>
      <GroupHeader
        {...summary}
        id={row.id}
        isOpen={isOpen}
        label={<FieldLabelText field={field} label={props.label} />}
        muted={isEmpty}
        problems={isOpen ? 0 : row.below}
        onToggle={() => state.setOpen(at, !isOpen)}
        actions={
          <>
            <FieldDocs props={props} />
            {!readOnly && (row.isSet || isAsked) && (
              <RemoveButton label={texts.listRow.remove(label)} onRemove={row.remove} />
            )}
          </>
        }
      />
      {isOpen && (
        <div className={groups.body} data-body="">
          {field.hint && <p className={styles.lead}>{field.hint}</p>}
          <Notes id={row.id} rules={describeRules(field)} breaches={row.breaches} findings={row.findings} />
          {children}
        </div>
      )}
    </div>
  );
}
