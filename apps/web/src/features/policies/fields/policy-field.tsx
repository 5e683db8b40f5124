import { Switch } from '@mantine/core';
import { defaultOf, MEMBER_ORDER, POLICY_MESSAGES } from '../../../editor/policy/policy-messages.ts';
import type { FieldDescription } from '../../../forms/schema-source.ts';
import type { EditPath } from '../../../yaml/edit-text.ts';
import { asList } from '../../../yaml/plain.ts';
import { chosenOf, fromChosen, fromTyped, labelOf, sentenceOf, UNSET } from '../form/field-value.ts';
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

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Words that a field of any words suggests. */
const SUGGESTED: Readonly<Record<string, readonly string[]>> = { allow: METHODS, methods: METHODS };

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

/** A field with its value, as its control shows and changes it. */
interface EditedField {
  readonly field: FieldDescription;
  /** Path of the value. */
  readonly at: EditPath;
  readonly value: unknown;
  /** The value that an unset field has. */
  readonly usual: string | undefined;
  /** `undefined` removes the field. */
  readonly set: (next: unknown) => void;
  readonly autoFocus: boolean | undefined;
  /** Props of every control. */
  readonly shared: {
    readonly label: string;
    readonly error: string | undefined;
    readonly isReadOnly: boolean;
    readonly isRequired: boolean;
  };
}

function Field({ field, type, path, members, label, autoFocus }: PolicyFieldProps & { field: FieldDescription }) {
  const form = usePolicyForm();
  const { name } = field;
  const at = [...path, name];
  const errors = field.shape === 'singular' ? form.errorsAt(at) : form.errorsWithin(at);
  const inList = field.shape === 'list' ? members[name] : undefined;
  const error = errors.length === 0 ? undefined : errors.map((each) => sentenceOf(each, inList)).join('. ');
  const edited: EditedField = {
    field,
    at,
    value: members[name],
    usual: defaultOf(type, name),
    set: (next) =>
      form.apply([
        next === undefined ? { kind: 'remove', path: at } : { kind: 'set', path: at, value: next, order: MEMBER_ORDER },
      ]),
    autoFocus,
    shared: { label: label ?? labelOf(name), error, isReadOnly: form.isReadOnly, isRequired: field.required },
  };
  if (field.shape === 'list') return <ListField {...edited} />;
  if (field.shape === 'map') return <PairsField {...edited} />;
  if (field.value.kind === 'enum') return <EnumField {...edited} values={field.value.values} />;
  if (field.value.kind === 'scalar' && field.value.type === 'bool') return <BoolField {...edited} />;
  return <TypedField {...edited} />;
}

function ListField({ field, at, value, set, autoFocus, shared }: EditedField) {
  const { apply } = usePolicyForm();
  if (field.value.kind === 'message') {
    const { type } = field.value;
    return (
      <MessagesField
        {...shared}
        hint={field.hint}
        type={type}
        path={at}
        items={asList(value) ?? []}
        renderField={(itemField, itemPath, item) => (
          <PolicyField type={type} name={itemField} path={itemPath} members={item} />
        )}
      />
    );
  }
  const words = (asList(value) ?? []).map(textOf);
  return (
    <WordsField
      {...shared}
      description={field.hint}
      value={words}
      options={field.value.kind === 'enum' ? field.value.values.map((each) => each.name) : undefined}
      suggestions={SUGGESTED[field.name]}
      placeholder={words.length === 0 && SUGGESTED[field.name] ? text.noWords : undefined}
      autoFocus={autoFocus}
      onChange={(next) => {
        if (next.length === 0 && !field.required) set(undefined);
        else apply(listEdits(at, words, next));
      }}
    />
  );
}

function PairsField({ field, at, value, set, autoFocus, shared }: EditedField) {
  const { apply } = usePolicyForm();
  const pairs = pairsOf(value);
  return (
    <WordsField
      {...shared}
      description={field.hint}
      value={pairs}
      autoFocus={autoFocus}
      placeholder={pairs.length === 0 ? text.pairs : undefined}
      onChange={(next) => {
        if (next.length === 0) set(undefined);
        else apply(pairEdits(field, at, { before: pairs, after: next }));
      }}
    />
  );
}

function EnumField(props: EditedField & { readonly values: readonly { readonly name: string }[] }) {
  const { field, value, usual, set, shared, values } = props;
  const isUnset = value === undefined || value === null;
  return (
    <ChoiceField
      {...shared}
      description={field.hint}
      options={values.map(({ name }) => ({ value: name, label: name }))}
      value={isUnset ? (usual ?? '') : textOf(value)}
      onChoose={set}
    />
  );
}

function BoolField({ field, value, usual, set, shared }: EditedField) {
  // Without a default, unset differs from false, which a switch cannot show.
  if (usual === undefined)
    return (
      <ChoiceField
        {...shared}
        description={field.hint}
        options={[{ value: UNSET, label: text.unset }, ...YES_OR_NO]}
        value={chosenOf(value)}
        onChoose={(choice) => set(fromChosen(choice))}
      />
    );
  return (
    <Switch
      label={shared.label}
      description={field.hint}
      error={shared.error}
      checked={value === true}
      disabled={shared.isReadOnly}
      onChange={(event) => set(event.currentTarget.checked || undefined)}
    />
  );
}

/** Edits text and numbers, and the paths of files. */
function TypedField({ field, value, usual, set, autoFocus, shared }: EditedField) {
  const commit = (typed: string) => set(typed === '' && !field.required ? undefined : fromTyped(field, typed));
  if (field.name.endsWith('_file'))
    return (
      <FileField
        {...shared}
        description={field.hint}
        value={textOf(value)}
        onChange={commit}
        folder={FOLDERS[field.name] ?? 'keys'}
      />
    );
  const isText = field.value.kind === 'scalar' && field.value.type === 'string';
  return (
    <TextField
      {...shared}
      description={field.hint}
      value={textOf(value)}
      onCommit={commit}
      {...(usual !== undefined && { placeholder: usual })}
      {...(!isText && { inputMode: 'decimal' as const })}
      {...(autoFocus && { autoFocus })}
      isCode={isText}
    />
  );
}
