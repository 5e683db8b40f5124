import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../../../texts/index.ts';
import { useSettingForm } from '../form-context.ts';
import classes from '../settings.module.css';
import { asValues, type Values } from '../values.ts';

const text = texts.settings.items;

interface ItemsFieldProps {
  readonly label: string;
  readonly path: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** Renders the fields of one item. */
  readonly children: (item: Values, path: string, onChange: (item: Values) => void) => ReactNode;
}

/** A list of objects, each with its fields. */
export function ItemsField({ label, path, value, onChange, children }: ItemsFieldProps) {
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
          {children(asValues(item), `${path}[${index}]`, (changed) =>
            onChange(items.map((one, at) => (at === index ? changed : one))),
          )}
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
