import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
import { POLICY_MESSAGES } from '../../../editor/policy/policy-messages.ts';
import type { EditPath } from '../../../yaml/edit-text.ts';
import { asRecord } from '../../../yaml/plain.ts';
import { usePolicyForm } from '../form/form-context.ts';
import { addItem, removeItem } from '../form/list-edits.ts';
import type { Members } from '../form/policy-view.ts';
import classes from './fields.module.css';
import { texts } from './texts.ts';

const text = texts.messagesField;

interface MessagesFieldProps {
  readonly label: string;
  readonly hint: string | undefined;
  /** Full name of the message type of each item. */
  readonly type: string;
  readonly path: EditPath;
  readonly items: readonly unknown[];
  readonly error?: string | undefined;
  readonly isReadOnly: boolean;
  readonly renderField: (name: string, path: EditPath, members: Members) => ReactNode;
}

/** Edits a list of small records, one per line. */
export function MessagesField({ label, hint, type, path, items, error, isReadOnly, renderField }: MessagesFieldProps) {
  const { apply, errorsAt } = usePolicyForm();
  const fields = POLICY_MESSAGES.get(type)?.fields ?? [];
  const required = fields.filter((field) => field.required);
  const starter = Object.fromEntries(
    required.map(({ name, shape }) => [name, shape === 'list' ? [] : name === 'path_prefix' ? '/' : '']),
  );
  const own = errorsAt(path);
  const add = () => {
    const value = required.length > 0 ? starter : { source: 'header' };
    apply([addItem({ path, count: items.length }, value)]);
  };
  const remove = (index: number) => apply([removeItem({ path, count: items.length }, index, 'none')]);
  return (
    <fieldset className={classes.records}>
      <legend>{label}</legend>
      {hint && <p className={classes.hint}>{hint}</p>}
      {items.map((item, index) => (
        // Items have no ID, so the index is the key.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={index} className={classes.record}>
          {fields.map(({ name }) => (
            <Fragment key={name}>{renderField(name, [...path, index], asRecord(item) ?? {})}</Fragment>
          ))}
          {!isReadOnly && (
            <Tooltip label={text.remove}>
              <ActionIcon aria-label={text.removeItem(label, index + 1)} onClick={() => remove(index)}>
                <IconTrash size={15} />
              </ActionIcon>
            </Tooltip>
          )}
        </div>
      ))}
      {!isReadOnly && (
        <Button
          variant="subtle"
          size="compact-xs"
          leftSection={<IconPlus size={13} />}
          aria-label={text.addTo(label)}
          onClick={add}
        >
          {text.add}
        </Button>
      )}
      {error !== undefined && own.length > 0 && <p className={classes.error}>{error}</p>}
    </fieldset>
  );
}
