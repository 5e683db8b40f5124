import { IconPlus } from '@tabler/icons-react';
import { memo, useId, useRef, useState } from 'react';
import buttons from '../buttons.module.css';
import controls from '../controls/controls.module.css';
import styles from '../form.module.css';
import { useAsked, useFocusTarget, useForm, useIsOpen } from '../form-context.ts';
import { emptyAny } from '../model/any.ts';
import { checkKey } from '../model/check-value.ts';
import { describeRules } from '../model/describe-rules.ts';
import { initialValue } from '../model/initial-value.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import { toLabel } from '../model/names.ts';
import { joinPath } from '../model/path.ts';
import { itemField, keyField } from '../model/rules.ts';
import { kindOf } from '../model/well-known.ts';
import type { FieldDescription } from '../schema-source.ts';
import { FieldDocs } from './field-docs.tsx';
import { FieldLabelText } from './field-label.tsx';
import { GroupHeader } from './group-header.tsx';
import groups from './groups.module.css';
import { Notes } from './notes.tsx';
import { pickExtension } from './pick-extension.ts';
import { RemoveButton } from './remove-button.tsx';
import type { RowProps } from './row-props.ts';
import { texts } from './texts.tsx';
import { useRow } from './use-row.ts';

const words = texts.mapRow;

const EMPTY: JsonObject = {};

/** Renders a map as pairs of key and value. */
export function MapRow(props: RowProps) {
  const { field, value, at } = props;
  const form = useForm();
  const { state, readOnly, Row } = form;
  const isOpen = useIsOpen(at);
  const isAsked = useAsked(props.parentAt).has(field.name);
  const target = useFocusTarget<HTMLDivElement>(at);
  const addButton = useRef<HTMLButtonElement>(null);
  const row = useRow(props);
  const map = isObject(value) ? value : EMPTY;
  const keys = Object.keys(map);
  const item = itemField(field);
  const slot = props.slot ?? field.slot;
  const label = props.label ?? toLabel(field.name);

  const add = (key: string, fresh = initialValue(item)) => {
    const pairAt = joinPath(at, key);
    if (state.get(pairAt) === undefined) state.set(pairAt, fresh);
    state.requestFocus(pairAt);
  };
  const start = (anchor: HTMLElement | null) => {
    if (!slot || !anchor || kindOf(item.value).kind !== 'any') {
      add('');
      return;
    }
    pickExtension(form, {
      anchor,
      slot,
      selected: undefined,
      allowReference: false,
      onPick: (picked) => {
        if (picked.kind === 'extension') add(picked.extension.name, emptyAny(picked.extension.type));
      },
    });
  };
  const summary =
    keys.length === 0
      ? words.row.none
      : isOpen
        ? `${keys.length} ${keys.length === 1 ? 'pair' : 'pairs'}`
        : keys.join(', ');
  return (
    <div className={groups.nested} data-row="group" data-at={at} ref={target}>
      <GroupHeader
        id={row.id}
        isOpen={isOpen}
        label={<FieldLabelText field={field} label={props.label} />}
        summary={summary}
        codeSummary={!isOpen && keys.length > 0}
        muted={keys.length === 0}
        problems={isOpen ? 0 : row.below}
        onToggle={() => state.setOpen(at, !isOpen)}
        actions={
          <>
            <FieldDocs props={props} />
            {!readOnly && (row.isSet || isAsked) && (
              <RemoveButton label={texts.listRow.remove(label)} onRemove={row.remove} />
            )}
          </>
        }
      />
      {isOpen && (
        <div className={groups.body} data-body="">
          {field.hint && <p className={styles.lead}>{field.hint}</p>}
          <Notes id={row.id} rules={describeRules(field)} breaches={row.breaches} findings={row.findings} />
          {keys.map((key, index) => (
            <div
              className={groups.pair}
              data-row="pair"
              data-reveals=""
              // A renamed key is still the same pair.
              // biome-ignore lint/suspicious/noArrayIndexKey: pairs keep their position
              key={index}
            >
              <MapKey name={key} at={at} field={keyField(field)} readOnly={readOnly} />
              <div className={groups.pairValue}>
                <Row
                  field={item}
                  value={map[key]}
                  at={joinPath(at, key)}
                  parentAt={at}
                  slot={slot}
                  secret={row.secret}
                  label={words.row.value}
                  mapKey={key}
                />
              </div>
              {!readOnly && (
                <RemoveButton
                  label={words.row.removePair(key === '' ? words.row.pair : key)}
                  onRemove={() => state.remove(joinPath(at, key))}
                />
              )}
            </div>
          ))}
          {!readOnly && (
            <button
              type="button"
              ref={addButton}
              className={buttons.addButton}
              disabled={Object.hasOwn(map, '')}
              onClick={() => start(addButton.current)}
            >
              <IconPlus size={14} aria-hidden />
              {words.row.add(keys.length === 0 ? `to ${label}` : 'another')}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

interface MapKeyProps {
  readonly name: string;
  readonly at: string;
  readonly field: FieldDescription;
  readonly readOnly: boolean;
}

/** Applies on blur, so that an intermediate key overwrites no other pair. */
const MapKey = memo(function MapKey({ name, at, field, readOnly }: MapKeyProps) {
  const { state } = useForm();
  const id = useId();
  const [draft, setDraft] = useState<string>();
  const target = useFocusTarget<HTMLSpanElement>(name === '' ? joinPath(at, name) : '\0');
  const others = () => Object.keys((state.get(at) as JsonObject | undefined) ?? {}).filter((key) => key !== name);
  const text = draft ?? name;
  const problem = draft === undefined && name !== '' ? undefined : checkKey(text, { field, others: others() });
  const finish = () => {
    if (draft === undefined || checkKey(draft, { field, others: others() }) !== undefined) return;
    state.rename(at, name, draft);
    setDraft(undefined);
  };
  return (
    <span className={groups.pairKey} ref={target}>
      <input
        id={id}
        type="text"
        className={controls.input}
        data-code
        data-control=""
        value={text}
        title={text}
        readOnly={readOnly}
        placeholder={words.key.key}
        aria-label={words.key.key}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setDraft(event.currentTarget.value)}
        onBlur={finish}
        onKeyDown={(event) => {
          if (event.key === 'Enter') finish();
          if (event.key !== 'Escape' || draft === undefined) return;
          event.stopPropagation();
          setDraft(undefined);
        }}
      />
      {problem !== undefined && (
        <span className={styles.problem} id={`${id}-problem`}>
          {words.key.problem(problem)}
        </span>
      )}
    </span>
  );
});
