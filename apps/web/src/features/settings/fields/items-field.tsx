import { Button, Divider, Input, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import layout from '../../../ui/layout.module.css';
import { useSettingForm } from '../form-context.ts';
import { texts } from '../texts.ts';
import { asValues, type Values } from '../values.ts';
import { FieldGroup } from './field-group.tsx';

const text = texts.items;

interface ItemsFieldProps {
  readonly label: string;
  readonly path: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** Renders the fields of one item. */
  readonly children: (item: Values, path: string, onChange: (item: Values) => void) => ReactNode;
}

/** Edits a list of objects, each with its fields. */
export function ItemsField({ label, path, value, onChange, children }: ItemsFieldProps) {
  const { isReadOnly, errorAt } = useSettingForm();
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const error = errorAt(path);
  return (
    <FieldGroup label={label}>
      {items.length === 0 && <p className={layout.note}>{text.none}</p>}
      {items.map((item, index) => (
        // Items have no ID, and their inputs have no state apart from the values.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Stack key={index} gap="sm" align="stretch">
          {children(asValues(item), `${path}[${index}]`, (changed) =>
            onChange(items.map((one, at) => (at === index ? changed : one))),
          )}
          {!isReadOnly && (
            <Button
              variant="default"
              size="compact-xs"
              style={{ alignSelf: 'flex-start' }}
              aria-label={`${label}: ${text.remove(index + 1)}`}
              onClick={() => onChange(items.filter((_, at) => at !== index))}
            >
              {text.remove(index + 1)}
            </Button>
          )}
          <Divider />
        </Stack>
      ))}
      {error !== undefined && <Input.Error>{error}</Input.Error>}
      {!isReadOnly && (
        <div>
          <Button
            variant="default"
            size="compact-sm"
            aria-label={`${label}: ${text.add}`}
            onClick={() => onChange([...items, {}])}
          >
            {text.add}
          </Button>
        </div>
      )}
    </FieldGroup>
  );
}
