import controls from './controls.module.css';
import { texts } from './texts.tsx';

const text = texts.segmentedControl;

interface SegmentedControlProps {
  readonly id: string;
  readonly label: string;
  readonly describedBy: string | undefined;
  readonly options: readonly { readonly id: string; readonly label: string }[];
  readonly selected: string | undefined;
  readonly readOnly: boolean;
  readonly onSelect: (id: string) => void;
}

/** A few choices in a line. They are radio buttons, so that arrow keys move among them and Tab skips to the next control. */
export function SegmentedControl(props: SegmentedControlProps) {
  const chosen = props.options.find(({ id }) => id === props.selected);
  if (props.readOnly) return <span className={controls.chosenText}>{chosen?.label ?? text.none}</span>;
  const focusable = props.selected ?? props.options[0]?.id;
  return (
    <div className={controls.segments} role="radiogroup" aria-label={props.label} aria-describedby={props.describedBy}>
      {props.options.map((option) => (
        <label key={option.id} className={controls.segment} data-selected={option.id === props.selected || undefined}>
          <input
            type="radio"
            name={props.id}
            id={option.id === focusable ? props.id : undefined}
            data-control={option.id === focusable ? '' : undefined}
            checked={option.id === props.selected}
            onChange={() => props.onSelect(option.id)}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
