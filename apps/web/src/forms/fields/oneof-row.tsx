import { memo, useId } from 'react';
import { ChoiceButton } from '../controls/choice-button.tsx';
import { SegmentedControl } from '../controls/segmented-control.tsx';
import styles from '../form.module.css';
import { useFindings, useForm } from '../form-context.ts';
import { lacksArm } from '../model/findings.ts';
import { initialArm } from '../model/initial-value.ts';
import type { Json } from '../model/json.ts';
import { toLabel } from '../model/names.ts';
import { joinPath } from '../model/path.ts';
import type { Option } from '../model/search.ts';
import { isInline } from '../model/well-known.ts';
import type { FieldDescription, OneofDescription } from '../schema-source.ts';
import { RemoveButton } from './remove-button.tsx';
import { texts } from './texts.tsx';

const text = texts.oneofRow;

interface OneofRowProps {
  readonly oneof: OneofDescription;
  /** Names of the options, joined so that they compare by value. */
  readonly arms: string;
  readonly fields: readonly FieldDescription[];
  readonly chosen: FieldDescription | undefined;
  /** The key of the selected arm as the document writes it. */
  readonly chosenKey: string;
  readonly value: Json | undefined;
  readonly parentAt: string;
  readonly slot: string | undefined;
  readonly secret: boolean | undefined;
  readonly holder: boolean;
  readonly docs: string | undefined;
}

const SEGMENTS_MAX = 4;
const SEGMENT_LETTERS_MAX = 44;

/** Renders a oneof: the selection and the selected field. Remembers the values of the other arms. */
export const OneofRow = memo(function OneofRow(props: OneofRowProps) {
  const { oneof, chosen, chosenKey, parentAt, value } = props;
  const { state, readOnly, Row } = useForm();
  const id = useId();
  const here = useFindings(parentAt).here.filter((finding) => lacksArm(finding, oneof.name));
  const names = props.arms.split(' ');
  const arms = props.fields.filter(({ name }) => names.includes(name));
  const label = toLabel(oneof.name);
  const options = arms.map(
    (arm): Option => ({ id: arm.name, label: toLabel(arm.name), hint: arm.hint, deprecated: arm.deprecated }),
  );
  const choose = (name: string) => {
    const arm = arms.find((candidate) => candidate.name === name);
    if (!arm || arm === chosen) return;
    const leave = chosen && { field: chosen.name, key: chosenKey };
    state.switchArm(parentAt, leave, { field: arm.name, fallback: initialArm(arm) });
    if (!isInline(arm)) state.setOpen(joinPath(parentAt, arm.name), true);
  };
  const clear = () => {
    if (!chosen) return;
    if (value !== undefined) state.memory.keep(parentAt, chosen.name, value);
    state.unask(parentAt, chosen.name);
    state.remove(joinPath(parentAt, chosenKey));
  };
  const letters = options.reduce((sum, option) => sum + option.label.length, 0);
  const isSegmented = arms.length <= SEGMENTS_MAX && letters <= SEGMENT_LETTERS_MAX;
  return (
    <>
      <div className={styles.row} data-row="line" data-reveals="" data-at={joinPath(parentAt, oneof.name)}>
        <label className={styles.label} htmlFor={id}>
          <span title={oneof.name}>{label}</span>
          {oneof.required && (
            <span className={styles.required} title={text.required} aria-hidden>
              {' '}
              *
            </span>
          )}
        </label>
        <div className={styles.control}>
          {isSegmented ? (
            <SegmentedControl
              id={id}
              label={label}
              describedBy={undefined}
              options={options}
              selected={chosen?.name}
              readOnly={readOnly}
              onSelect={choose}
            />
          ) : (
            <ChoiceButton
              id={id}
              text={chosen ? toLabel(chosen.name) : oneof.required ? text.chooseOne : text.none}
              muted={chosen === undefined}
              label={label}
              describedBy={undefined}
              invalid={here.length > 0}
              readOnly={readOnly}
              title={text.search(label.toLowerCase())}
              options={options}
              selected={chosen?.name}
              onPick={(name) => {
                choose(name);
                state.requestFocus(joinPath(parentAt, name));
              }}
            />
          )}
          {here.length > 0 && (
            <div className={styles.problem}>
              {oneof.required ? text.oneRequired : here.map(({ message }) => message).join(' ')}
            </div>
          )}
        </div>
        <div className={styles.actions}>
          {chosen && !oneof.required && !readOnly && (
            <RemoveButton label={text.chooseNone(label.toLowerCase())} onRemove={clear} />
          )}
        </div>
      </div>
      {chosen && (
        <div className={isInline(chosen) ? styles.arm : undefined} data-row="group">
          <Row
            field={chosen}
            value={value}
            at={joinPath(parentAt, chosenKey)}
            parentAt={parentAt}
            slot={props.slot}
            secret={props.secret}
            holder={props.holder}
            docs={props.docs}
          />
        </div>
      )}
    </>
  );
});
