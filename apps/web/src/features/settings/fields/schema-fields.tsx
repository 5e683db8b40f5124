import { NumberInput, Select, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { useSettingForm } from '../form-context.ts';
import type { FieldSpec } from '../schema-fields.ts';
import { texts } from '../texts.ts';
import { asTexts, asValues, type Values, withMember } from '../values.ts';
import { FieldGroup } from './field-group.tsx';
import { FileText } from './file-text.tsx';
import { ItemsField } from './items-field.tsx';
import { JsonField } from './json-field.tsx';
import { ProjectField } from './project-field.tsx';
import { SecretField } from './secret-field.tsx';

interface SchemaFieldsProps {
  readonly fields: readonly FieldSpec[];
  readonly values: Values;
  readonly onChange: (values: Values) => void;
  /** Path of the object as in errors: `auth`, `servers[0]`; empty for the document. */
  readonly path: string;
}

export function SchemaFields({ fields, values, onChange, path }: SchemaFieldsProps) {
  return (
    <Stack gap={14}>
      {fields.map((field) => (
        <SchemaField
          key={field.name}
          field={field}
          path={path === '' ? field.name : `${path}.${field.name}`}
          value={values[field.name]}
          onChange={(value) => onChange(withMember(values, field.name, value))}
        />
      ))}
    </Stack>
  );
}

interface FieldProps {
  readonly field: FieldSpec;
  readonly path: string;
  readonly value: unknown;
  /** undefined: the value is removed, and the default applies. */
  readonly onChange: (value: unknown) => void;
}

const text = texts;

// oxlint-disable-next-line max-lines-per-function -- one case per kind of field
function SchemaField({ field, path, value, onChange }: FieldProps) {
  const { kind, isReadOnly, errorAt } = useSettingForm();
  const wordsAt = `${kind}.${path.replaceAll(/\[\d+\]/g, '')}`;
  const label = text.labelOf(wordsAt, field.name);
  const common = {
    label,
    description: text.hintOf(wordsAt),
    error: errorAt(path),
    readOnly: isReadOnly,
    required: field.isRequired,
  };
  switch (field.kind) {
    case 'text':
      return (
        <TextInput
          {...common}
          value={asText(value)}
          maxLength={field.maxLength}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => onChange(emptyAsNull(field, event.currentTarget.value))}
        />
      );
    case 'file':
      return (
        <FileText
          {...common}
          value={asText(value)}
          max={field.maxLength}
          onChange={(typed) => onChange(emptyAsNull(field, typed))}
        />
      );
    case 'number':
      return (
        <NumberInput
          {...common}
          value={typeof value === 'number' ? value : ''}
          min={field.min}
          max={field.max}
          clampBehavior="none"
          allowDecimal={!field.isInteger}
          hideControls
          maw={220}
          onChange={(typed) => onChange(typeof typed === 'number' ? typed : field.isNullable ? null : undefined)}
        />
      );
    case 'choice':
      return (
        <Select
          {...common}
          data={[...field.choices]}
          value={typeof value === 'string' ? value : null}
          placeholder={field.isNullable ? text.choose : undefined}
          allowDeselect={false}
          clearable={field.isNullable && !isReadOnly}
          onChange={(chosen) => onChange(chosen)}
        />
      );
    case 'project':
      return <ProjectField {...common} value={value} onChange={onChange} />;
    case 'switch':
      return (
        <Switch
          label={common.label}
          description={common.description}
          error={common.error}
          checked={value === true}
          disabled={isReadOnly}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'words':
      return (
        <Textarea
          {...common}
          description={common.description ?? text.words}
          value={asTexts(value).join('\n')}
          autosize
          minRows={2}
          maxRows={12}
          spellCheck={false}
          onChange={(event) => onChange(event.currentTarget.value === '' ? [] : event.currentTarget.value.split('\n'))}
        />
      );
    case 'secret':
      return <SecretField label={label} hint={common.description} path={path} max={field.maxLength} />;
    case 'group':
      return (
        <FieldGroup label={label}>
          <SchemaFields fields={field.fields} values={asValues(value)} onChange={onChange} path={path} />
        </FieldGroup>
      );
    case 'items':
      return (
        <ItemsField label={label} path={path} value={value} onChange={onChange}>
          {(item, itemPath, change) => (
            <SchemaFields fields={field.fields} values={item} onChange={change} path={itemPath} />
          )}
        </ItemsField>
      );
    case 'json':
      return <JsonField {...common} value={value} onChange={onChange} />;
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function emptyAsNull(field: FieldSpec, typed: string): string | null {
  return typed === '' && field.isNullable ? null : typed;
}
