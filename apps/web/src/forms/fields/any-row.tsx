import { useState } from 'react';
import buttons from '../buttons.module.css';
import { JsonControl } from '../controls/json-control.tsx';
import styles from '../form.module.css';
import { useForm } from '../form-context.ts';
import { emptyAny, hasContent, refOf, typeOfAny, withExtension } from '../model/any.ts';
import { isObject } from '../model/json.ts';
import { shortType, toLabel } from '../model/names.ts';
import { kindOfMessage } from '../model/well-known.ts';
import { useDescription } from '../use-description.ts';
import { ExtensionRow, REFERENCE } from './extension-row.tsx';
import groups from './groups.module.css';
import { offerExtensions, type Picked } from './pick-extension.ts';
import type { RowProps } from './row-props.ts';
import { texts } from './texts.tsx';
import { type Row, useRow } from './use-row.ts';

const text = texts.anyRow;

/** Selects the type of an Any, and shows the fields of that type. */
export function AnyRow(props: RowProps) {
  const { value } = props;
  const row = useRow(props);
  const { offer, pending, replace, keep } = useTypeChoice(props);
  const type = typeOfAny(value);
  const ref = refOf(value);
  return (
    <div className={groups.nested} data-row="group">
      <ExtensionRow
        props={props}
        row={row}
        label={labelOf(props)}
        text={ref ?? (type === undefined ? text.row.choose : shortType(type))}
        code={ref !== undefined || type !== undefined}
        muted={ref === undefined && type === undefined}
        detail={ref === undefined ? undefined : REFERENCE}
        {...offer}
      >
        {pending && type !== undefined && (
          <ReplaceQuestion
            from={shortType(type)}
            to={pending.kind === 'reference' ? pending.ref : pending.extension.title}
            onReplace={replace}
            onKeep={keep}
          />
        )}
      </ExtensionRow>
      {ref === undefined && (type !== undefined || hasContent(value)) && (
        <div className={groups.body} data-body="">
          {type === undefined ? (
            <div className={styles.raw}>
              <RawJson props={props} row={row} label={text.row.json(labelOf(props))} />
            </div>
          ) : (
            <Carried type={type} props={props} row={row} />
          )}
        </div>
      )}
    </div>
  );
}

function labelOf({ label, field }: RowProps): string {
  return label ?? toLabel(field.name);
}

/** Offers types and stored documents. Content is replaced only after a question about `pending`. */
function useTypeChoice({ value, at, parentAt, holder, slot, field }: RowProps) {
  const { source, state } = useForm();
  const [pending, setPending] = useState<Picked>();
  const type = typeOfAny(value);

  const apply = (picked: Picked) => {
    setPending(undefined);
    if (type !== undefined && value !== undefined) state.memory.keep(at, type, value);
    if (picked.kind === 'reference') {
      state.set(holder && parentAt !== '' ? parentAt : at, { $ref: picked.ref });
      return;
    }
    const { extension, canonicalNames } = picked;
    const config = state.memory.recall(at, extension.type) ?? emptyAny(extension.type);
    const before = state.get(parentAt);
    if (holder && (isObject(before) || before === undefined)) {
      const configKey = at.slice(at.lastIndexOf('.') + 1);
      state.set(parentAt, withExtension(before ?? {}, extension, { configKey, hasName: true, canonicalNames, config }));
    } else state.set(at, config);
  };
  const offer = offerExtensions(source, {
    slot: slot ?? field.slot,
    selected: type,
    allowReference: true,
    onPick: (picked) => {
      if (picked.kind === 'extension' && picked.extension.type === type) return;
      if (hasContent(value)) setPending(picked);
      else apply(picked);
    },
  });
  /** Closes the question and returns the focus to the control that opened it. */
  const answer = (picked: Picked | undefined) => {
    if (picked) apply(picked);
    else setPending(undefined);
    state.requestFocus(at, { open: false });
  };
  return { offer, pending, replace: () => answer(pending), keep: () => answer(undefined) };
}

interface CarriedProps {
  readonly type: string;
  readonly props: RowProps;
  readonly row: Row;
}

function Carried({ type, props, row }: CarriedProps) {
  const { Fields } = useForm();
  const described = useDescription(type);
  // A well-known message has its JSON under `value`, and the fields of an unknown message are unknown.
  const isRaw = described.status === 'unknown' || kindOfMessage(type).kind !== 'message';
  if (!isRaw) return <Fields type={type} value={props.value ?? undefined} at={props.at} secret={row.secret} />;
  return (
    <div className={styles.raw}>
      <p className={styles.lead}>
        {described.status === 'unknown' ? text.carried.unknownToEnvoy : 'Free-form: '}
        <code>{type}</code>
      </p>
      <RawJson props={props} row={row} label={text.carried.json(type)} invalid={row.findings.length > 0} />
    </div>
  );
}

interface RawJsonProps {
  readonly props: RowProps;
  readonly row: Row;
  readonly label: string;
  readonly invalid?: boolean;
}

function RawJson({ props, row, label, invalid = false }: RawJsonProps) {
  const { readOnly } = useForm();
  return (
    <JsonControl
      id={`${row.id}-raw`}
      field={props.field}
      label={label}
      value={props.value}
      describedBy={undefined}
      invalid={invalid}
      readOnly={readOnly}
      keepsEmpty
      onCommit={row.commit}
    />
  );
}

interface ReplaceQuestionProps {
  readonly from: string;
  readonly to: string;
  readonly onReplace: () => void;
  readonly onKeep: () => void;
}

function ReplaceQuestion({ from, to, onReplace, onKeep }: ReplaceQuestionProps) {
  return (
    <div className={groups.question} role="alertdialog" aria-label={text.question(from, to)}>
      <span>{text.replace.question(to, from)}</span>
      <span className={buttons.answers}>
        {/* biome-ignore lint/a11y/noAutofocus: the question was asked by what the person just did */}
        <button type="button" className={buttons.button} autoFocus onClick={onKeep}>
          {text.replace.keep(from)}
        </button>
        <button type="button" className={buttons.button} onClick={onReplace}>
          {text.replace.replace}
        </button>
      </span>
    </div>
  );
}
