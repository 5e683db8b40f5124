import { SchemaField } from './fields/schema-field.tsx';
import type { FieldSpec } from './schema-fields.ts';
import classes from './settings.module.css';
import { type Values, withMember } from './values.ts';

export interface SchemaFieldsProps {
  readonly fields: readonly FieldSpec[];
  readonly values: Values;
  readonly onChange: (values: Values) => void;
  /** Of the object, as errors name it: `auth`, `servers[0]`; empty for the document. */
  readonly path: string;
}

/** The fields of an object, as its schema has them. */
export function SchemaFields({ fields, values, onChange, path }: SchemaFieldsProps) {
  return (
    <div className={classes.fields}>
      {fields.map((field) => (
        <SchemaField
          key={field.name}
          field={field}
          path={path === '' ? field.name : `${path}.${field.name}`}
          value={values[field.name]}
          onChange={(value) => onChange(withMember(values, field.name, value))}
        />
      ))}
    </div>
  );
}
