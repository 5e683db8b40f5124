import { Button } from '@mantine/core';
import { texts } from '../../../texts/index.ts';
import { useSettingForm } from '../form-context.ts';
import type { FieldSpec } from '../schema-fields.ts';
import { SchemaFields } from '../schema-form.tsx';
import classes from '../settings.module.css';
import { asValues } from '../values.ts';

const text = texts.settings.items;

interface ItemsFieldProps {
  readonly field: FieldSpec;
  readonly label: string;
  readonly path: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** A list of objects, each with its fields. */
export function ItemsField({ field, label, path, value, onChange }: ItemsFieldProps) {
  const { isReadOnly, errorAt } = useSettingForm();
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const error = errorAt(path);
  return (
    <fieldset className={classes.group}>
      <legend>{label}</legend>
      {items.length === 0 && <p className={classes.none}>{text.none}</p>}
      {items.map((item, index) => (
        // Items have no names of their own; their inputs hold nothing but what the values say.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={index} className={classes.item}>
          <SchemaFields
            fields={field.fields}
            values={asValues(item)}
            path={`${path}[${index}]`}
            onChange={(changed) => onChange(items.map((one, at) => (at === index ? changed : one)))}
          />
          {!isReadOnly && (
            <Button
              variant="default"
              size="compact-xs"
              aria-label={`${label}: ${text.remove(index + 1)}`}
              onClick={() => onChange(items.filter((_, at) => at !== index))}
            >
              {text.remove(index + 1)}
            </Button>
          )}
        </div>
      ))}
      {error !== undefined && <p className={classes.error}>{error}</p>}
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
    </fieldset>
  );
}
