import styles from '../form.module.css';
import type { ControlProps } from './control-props.ts';
import controls from './controls.module.css';
import { SegmentedControl } from './segmented-control.tsx';
import { texts } from './texts.tsx';

const text = texts.boolControl;

/** On or off; an unset value is off. */
export function SwitchControl(props: ControlProps) {
  const { value, onCommit } = props;
  return (
    <span className={controls.switchLine}>
      <input
        id={props.id}
        type="checkbox"
        role="switch"
        className={controls.switch}
        data-control=""
        checked={value === true}
        aria-checked={value === true}
        disabled={props.readOnly}
        aria-label={props.label}
        aria-describedby={props.describedBy}
        aria-invalid={props.invalid || undefined}
        onChange={(event) => onCommit(event.currentTarget.checked, false)}
      />
      <span className={styles.quiet} aria-hidden>
        {value === true ? text.switch.on : text.switch.off}
        {value === undefined ? text.switch.notSet : ''}
      </span>
    </span>
  );
}

const STATES = [
  { id: 'default', label: text.states.default },
  { id: 'true', label: text.states.on },
  { id: 'false', label: text.states.off },
] as const;

/** On, off, or unset: Envoy's default applies to an unset value, which may differ from off. */
export function TriStateControl(props: ControlProps) {
  const state = props.value === true ? 'true' : props.value === false ? 'false' : 'default';
  return (
    <SegmentedControl
      id={props.id}
      label={props.label ?? ''}
      describedBy={props.describedBy}
      options={STATES}
      selected={state}
      readOnly={props.readOnly}
      onSelect={(id) => props.onCommit(id === 'default' ? undefined : id === 'true', false)}
    />
  );
}
