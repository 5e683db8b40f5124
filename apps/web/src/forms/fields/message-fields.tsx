import { IconExternalLink, IconPlus } from '@tabler/icons-react';
import { memo, useId, useMemo } from 'react';
import buttons from '../buttons.module.css';
import { CompactView } from '../compact/compact-view.tsx';
import { compactEditorOf, messageEditorOf } from '../compact/registry.ts';
import styles from '../form.module.css';
import { useAsked, useFindings, useForm } from '../form-context.ts';
import { lacksArm } from '../model/findings.ts';
import { isObject, ownValue } from '../model/json.ts';
import { isSet, keyOf, listUnknownKeys, shortType, toLabel } from '../model/names.ts';
import { joinPath } from '../model/path.ts';
import type { Option } from '../model/search.ts';
import { type Entry, layOut, type RestField } from '../model/visible-fields.ts';
import { findConfigField } from '../model/well-known.ts';
import type { FieldDescription, MessageDescription } from '../schema-source.ts';
import { useDescription } from '../use-description.ts';
import { addField } from './add-field.ts';
import { Notes } from './notes.tsx';
import { OneofRow } from './oneof-row.tsx';
import { RawRow } from './raw-row.tsx';
import type { MessageFieldsProps } from './row-props.ts';
import { texts } from './texts.tsx';

const text = texts.messageFields;

/** Renders the visible fields of one message, and a search for the others. */
export const MessageFields = memo(function MessageFields(props: MessageFieldsProps) {
  const described = useDescription(props.type);
  switch (described.status) {
    case 'known':
      return <FieldsOrEditor {...props} message={described.message} />;
    case 'loading':
      return <Skeleton />;
    case 'failed':
      return (
        <p className={styles.problem} role="alert">
          {text.loading.failed(
            shortType(props.type),
            described.reason,
            <button type="button" className={buttons.textButton} onClick={described.retry}>
              {text.loading.tryAgain}
            </button>,
          )}
        </p>
      );
    default:
      return (
        <RawRow
          field={rawField(props.type)}
          value={props.value}
          at={props.at}
          parentAt={props.at}
          reason={text.loading.reason(props.type)}
        />
      );
  }
});

const NO_BREACHES: readonly string[] = [];

type KnownFieldsProps = MessageFieldsProps & { readonly message: MessageDescription };

function FieldsOrEditor(props: KnownFieldsProps) {
  const editor = messageEditorOf(props.message.type_name);
  const fields = <KnownFields {...props} />;
  if (!editor || props.secret) return fields;
  return (
    <CompactView editor={editor} value={props.value} at={props.at} label={shortType(props.message.type_name)}>
      {fields}
    </CompactView>
  );
}

function KnownFields(props: KnownFieldsProps) {
  const { message, value, at, hidden } = props;
  const { readOnly } = useForm();
  const asked = useAsked(at);
  const id = useId();
  const object = isObject(value) ? value : undefined;
  const { entries, rest } = layOut(message, object, { asked, ...(hidden && { hidden: new Set([hidden]) }) });
  const unknown = object ? listUnknownKeys(message, object) : [];
  // A oneof with a single arm has no selection to attach to.
  const lonely = message.oneofs.filter(({ fields }) => fields.length < 2);
  const findings = useFindings(at).here.filter((one) => lonely.some(({ name }) => lacksArm(one, name)));
  const shown = readOnly
    ? entries.filter((entry) => (entry.kind === 'field' ? isSet(entry.field, object) : entry.chosen !== undefined))
    : entries;
  return (
    <div className={styles.fields} data-body="">
      <Notes id={id} breaches={NO_BREACHES} findings={findings} />
      {shown.map((entry) => (
        <EntryRow key={entry.kind === 'field' ? entry.name : `oneof ${entry.name}`} {...props} entry={entry} />
      ))}
      {readOnly && shown.length + unknown.length === 0 && <p className={styles.lead}>{text.knownFields.nothingSet}</p>}
      {unknown.map((key) => (
        <RawRow
          key={`unknown ${key}`}
          field={rawField(key)}
          value={object && ownValue(object, key)}
          at={joinPath(at, key)}
          parentAt={at}
          reason="In the document, not known to this version."
        />
      ))}
      {!readOnly && <AddField message={message} rest={rest} at={at} />}
    </div>
  );
}

type EntryRowProps = KnownFieldsProps & { readonly entry: Entry };

/** Renders a field, or a oneof with its chosen arm. */
function EntryRow({ message, value, at, slot, secret, entry }: EntryRowProps) {
  const { Row } = useForm();
  const object = isObject(value) ? value : undefined;
  const field = entry.kind === 'field' ? entry.field : entry.chosen;
  const key = field ? keyOf(field.name, object) : '';
  const isConfig = field !== undefined && field === findConfigField(message);
  const shared = {
    value: object && field && ownValue(object, key),
    parentAt: at,
    slot: isConfig ? (field.slot ?? slot) : undefined,
    secret,
    holder: isConfig,
    docs: message.field_docs_url,
  };
  if (entry.kind === 'field') {
    const compact = compactEditorOf(message.type_name, entry.name);
    return <Row {...shared} field={entry.field} at={joinPath(at, key)} compact={compact} />;
  }
  const arms = entry.arms.map(({ name }) => name).join(' ');
  return (
    <OneofRow
      {...shared}
      oneof={entry.oneof}
      arms={arms}
      fields={message.fields}
      chosen={entry.chosen}
      chosenKey={key}
    />
  );
}

interface AddFieldProps {
  readonly message: MessageDescription;
  readonly rest: readonly RestField[];
  readonly at: string;
}

function AddField({ message, rest, at }: AddFieldProps) {
  const { pick, state } = useForm();
  const type = shortType(message.type_name);
  const open = (anchor: HTMLElement) => {
    const options = rest.map(
      ({ field, oneof }): Option => ({
        id: field.name,
        label: toLabel(field.name),
        code: field.name,
        hint: field.hint,
        deprecated: field.deprecated,
        group: field.deprecated ? text.addField.deprecated : oneof ? toLabel(oneof.name) : text.addField.fields,
      }),
    );
    const ordered = [text.addField.fields, ...options.map(({ group }) => group)].filter(
      (group, i, all) => all.indexOf(group) === i,
    );
    pick({
      anchor,
      title: text.addField.search(type),
      options: ordered.flatMap((group) => options.filter((option) => option.group === group)),
      onPick: (name) => {
        const field = message.fields.find((candidate) => candidate.name === name);
        if (field) addField(state, field, at);
      },
    });
  };
  if (rest.length === 0) return null;
  return (
    <div className={buttons.addLine}>
      <button
        type="button"
        className={buttons.addButton}
        aria-haspopup="dialog"
        onClick={(event) => open(event.currentTarget)}
      >
        <IconPlus size={14} aria-hidden />
        {text.addField.add(<span className={styles.quiet}>{text.addField.more(rest.length)}</span>)}
      </button>
      <a className={buttons.docs} href={message.docs_url} target="_blank" rel="noreferrer">
        {type}
        <IconExternalLink size={12} aria-label={text.addField.inDocumentation} />
      </a>
    </div>
  );
}

function Skeleton() {
  const rows = useMemo(() => ['a', 'b', 'c'], []);
  return (
    <div className={styles.fields} aria-busy="true">
      <span className={styles.visuallyHidden}>{text.skeleton.loading}</span>
      {rows.map((row) => (
        <div key={row} className={styles.row}>
          <span className={styles.skeleton} />
          <span className={styles.skeleton} data-control-size />
        </div>
      ))}
    </div>
  );
}

const rawFields = new Map<string, FieldDescription>();

/** Placeholder for a member that is not a field. */
function rawField(name: string): FieldDescription {
  const known = rawFields.get(name);
  if (known) return known;
  const field: FieldDescription = {
    name,
    number: 0,
    shape: 'singular',
    value: { kind: 'message', type: 'google.protobuf.Value', well_known: 'value' },
    required: false,
    deprecated: false,
    disallowed: false,
    sensitive: false,
    common: false,
  };
  rawFields.set(name, field);
  return field;
}
