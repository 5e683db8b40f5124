import { useMemo } from 'react';
import { toLabel } from '../model/names.ts';
import type { Option } from '../model/search.ts';
import type { EnumValueDescription } from '../schema-source.ts';
import { ChoiceButton } from './choice-button.tsx';
import type { ControlProps } from './control-props.ts';
import { texts } from './texts.tsx';

const text = texts.enumControl;

/** Select for a value of an enum, by name. A number without a name stays as it is. */
export function EnumControl(props: ControlProps) {
  const { field, value, onCommit } = props;
  const values: readonly EnumValueDescription[] = field.value.kind === 'enum' ? field.value.values : [];
  const current = values.find(({ name, number }) => name === value || number === value);
  const zero = values.find(({ number }) => number === 0);
  const options = useMemo(
    () =>
      values
        .filter((known) => !known.disallowed || known === current)
        .map(
          ({ name, number, deprecated }): Option => ({
            id: name,
            label: name,
            hint: number === 0 ? text.isDefault : undefined,
            deprecated,
          }),
        ),
    [values, current],
  );
  const isUnset = value === undefined;
  const unsetText = zero ? text.byDefault(zero.name) : text.notSet;
  return (
    <ChoiceButton
      id={props.id}
      text={isUnset ? unsetText : (current?.name ?? String(value))}
      code
      muted={isUnset}
      detail={current?.deprecated ? 'deprecated' : undefined}
      label={props.label ?? toLabel(field.name)}
      describedBy={props.describedBy}
      invalid={props.invalid}
      readOnly={props.readOnly}
      title={text.search}
      options={options}
      selected={current?.name}
      onPick={(name) => onCommit(name, false)}
    />
  );
}
