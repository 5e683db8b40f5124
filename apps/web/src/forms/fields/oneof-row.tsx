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

/** Renders a oneof: the selection and the selected field. */
export const OneofRow = memo(function OneofRow(props: OneofRowProps) {
  const { chosen, parentAt } = props;
  const { Row } = useForm();
  return (
    <>
      <OneofSelection {...props} />
      {chosen && (
        <div className={isInline(chosen) ? styles.arm : undefined} data-row="group">
          <Row
            field={chosen}
            value={props.value}
            at={joinPath(parentAt, props.chosenKey)}
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

function OneofSelection(props: OneofRowProps) {
  const { oneof, chosen, parentAt } = props;
  const { readOnly } = useForm();
  const id = useId();
  const here = useFindings(parentAt).here.filter((finding) => lacksArm(finding, oneof.name));
  const { choose, clear } = useSwitch(props);
  const label = toLabel(oneof.name);
  return (
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
        <ArmControl {...props} id={id} invalid={here.length > 0} onChoose={choose} />
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
  );
}

interface ArmControlProps extends OneofRowProps {
  readonly id: string;
  readonly invalid: boolean;
  readonly onChoose: (name: string) => void;
}

/** Offers the arms beside each other if they are few and short, else in a list. */
function ArmControl({ oneof, chosen, parentAt, id, invalid, onChoose, ...props }: ArmControlProps) {
  const { state, readOnly } = useForm();
  const label = toLabel(oneof.name);
  const options = armsOf(props).map(
    (arm): Option => ({ id: arm.name, label: toLabel(arm.name), hint: arm.hint, deprecated: arm.deprecated }),
  );
  const letters = options.reduce((sum, option) => sum + option.label.length, 0);
  const shared = { id, label, describedBy: undefined, options, selected: chosen?.name, readOnly };
  if (options.length <= SEGMENTS_MAX && letters <= SEGMENT_LETTERS_MAX) {
    return <SegmentedControl {...shared} onSelect={onChoose} />;
  }
  return (
    <ChoiceButton
      {...shared}
      text={chosen ? toLabel(chosen.name) : oneof.required ? text.chooseOne : text.none}
      muted={chosen === undefined}
      invalid={invalid}
      title={text.search(label.toLowerCase())}
      onPick={(name) => {
        onChoose(name);
        state.requestFocus(joinPath(parentAt, name));
      }}
    />
  );
}

/** Switches between the arms. The values of the other arms are remembered. */
function useSwitch(props: OneofRowProps) {
  const { chosen, chosenKey, parentAt, value } = props;
  const { state } = useForm();
  const choose = (name: string) => {
    const arm = armsOf(props).find((candidate) => candidate.name === name);
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
  return { choose, clear };
}

function armsOf({ arms, fields }: Pick<OneofRowProps, 'arms' | 'fields'>): readonly FieldDescription[] {
  const names = arms.split(' ');
  return fields.filter(({ name }) => names.includes(name));
}
