import { Switch } from '@mantine/core';
import { defaultOf, MEMBER_ORDER, POLICY_MESSAGES } from '../../../editor/policy/policy-messages.ts';
import type { FieldDescription } from '../../../forms/schema-source.ts';
import type { EditPath } from '../../../yaml/edit-text.ts';
import { asList } from '../../../yaml/plain.ts';
import { chosenOf, fromChosen, fromTyped, labelOf, UNSET } from '../form/field-value.ts';
import { usePolicyForm } from '../form/form-context.ts';
import { listEdits } from '../form/list-edits.ts';
import { pairEdits, pairsOf } from '../form/pair-edits.ts';
import { type Members, textOf } from '../form/policy-view.ts';
import { ChoiceField } from './choice-field.tsx';
import { FileField } from './file-field.tsx';
import { MessagesField } from './messages-field.tsx';
import { TextField } from './text-field.tsx';
import { texts } from './texts.ts';
import { WordsField } from './words-field.tsx';

const text = texts.policyField;

/** Folder for files that the form adds; `keys` by default. */
const FOLDERS: Readonly<Record<string, string>> = { trusted_documents_file: 'documents' };

const YES_OR_NO = ['true', 'false'].map((word) => ({ value: word, label: word }));

export interface PolicyFieldProps {
  /** Full name of the message that has the field. */
  readonly type: string;
  readonly name: string;
  readonly path: EditPath;
  readonly members: Members;
  readonly label?: string;
  readonly autoFocus?: boolean;
}

/** Edits one field of the policy, generated from its description: label, help, default, control and errors. */
export function PolicyField(props: PolicyFieldProps) {
  const field = POLICY_MESSAGES.get(props.type)?.fields.find(({ name }) => name === props.name);
  return field ? <Field {...props} field={field} /> : null;
}

function Field({ field, type, path, members, label, autoFocus }: PolicyFieldProps & { field: FieldDescription }) {
  const form = usePolicyForm();
  const { name, hint } = field;
  const at = [...path, name];
  const value = members[name];
  const isUnset = value === undefined || value === null;
  const usual = defaultOf(type, name);
  const errors = field.shape === 'singular' ? form.errorsAt(at) : form.errorsWithin(at);
  const error = errors.length === 0 ? undefined : errors.map((each) => capital(each.message)).join('. ');
  const set = (next: unknown) =>
    form.apply([
      next === undefined ? { kind: 'remove', path: at } : { kind: 'set', path: at, value: next, order: MEMBER_ORDER },
    ]);
  const shared = { label: label ?? labelOf(name), error, isReadOnly: form.isReadOnly, isRequired: field.required };

  if (field.shape === 'list') {
    if (field.value.kind === 'message') {
      const itemType = field.value.type;
      return (
        <MessagesField
          {...shared}
          hint={hint}
          type={field.value.type}
          path={at}
          items={asList(value) ?? []}
          renderField={(itemField, itemPath, item) => (
            <PolicyField type={itemType} name={itemField} path={itemPath} members={item} />
          )}
        />
      );
    }
    const words = (asList(value) ?? []).map(textOf);
    const options = field.value.kind === 'enum' ? field.value.values.map((each) => each.name) : undefined;
    return (
      <WordsField
        {...shared}
        description={hint}
        value={words}
        options={options}
        autoFocus={autoFocus}
        onChange={(next) => {
          if (next.length === 0 && !field.required) set(undefined);
          else form.apply(listEdits(at, words, next));
        }}
      />
    );
  }
  if (field.shape === 'map') {
    const pairs = pairsOf(value);
    return (
      <WordsField
        {...shared}
        description={hint}
        value={pairs}
        autoFocus={autoFocus}
        placeholder={pairs.length === 0 ? text.pairs : undefined}
        onChange={(next) => {
          if (next.length === 0) set(undefined);
          else form.apply(pairEdits(field, at, { before: pairs, after: next }));
        }}
      />
    );
  }
  if (field.value.kind === 'enum')
    return (
      <ChoiceField
        {...shared}
        description={hint}
        options={field.value.values.map((each) => ({ value: each.name, label: each.name }))}
        value={isUnset ? (usual ?? '') : textOf(value)}
        onChoose={set}
      />
    );
  if (field.value.kind === 'scalar' && field.value.type === 'bool') {
    // Without a default, unset differs from false, which a switch cannot show.
    if (usual === undefined)
      return (
        <ChoiceField
          {...shared}
          description={hint}
          options={[{ value: UNSET, label: text.unset }, ...YES_OR_NO]}
          value={chosenOf(value)}
          onChoose={(choice) => set(fromChosen(choice))}
        />
      );
    return (
      <Switch
        label={shared.label}
        description={hint}
        error={error}
        checked={value === true}
        disabled={form.isReadOnly}
        onChange={(event) => set(event.currentTarget.checked || undefined)}
      />
    );
  }
  const commit = (typed: string) => set(typed === '' && !field.required ? undefined : fromTyped(field, typed));
  if (name.endsWith('_file'))
    return (
      <FileField
        {...shared}
        description={hint}
        value={textOf(value)}
        onChange={commit}
        folder={FOLDERS[name] ?? 'keys'}
      />
    );
  const isText = field.value.kind === 'scalar' && field.value.type === 'string';
  return (
    <TextField
      {...shared}
      description={hint}
      value={textOf(value)}
      onCommit={commit}
      {...(usual !== undefined && { placeholder: usual })}
      {...(!isText && { inputMode: 'decimal' as const })}
      {...(autoFocus && { autoFocus })}
      isCode={isText}
    />
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
