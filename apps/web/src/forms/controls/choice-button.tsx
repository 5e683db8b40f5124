import { IconChevronDown } from '@tabler/icons-react';
import type { Ref } from 'react';
import { useForm } from '../form-context.ts';
import type { PickerRequest } from '../picker/picker-request.ts';
import controls from './controls.module.css';

interface ChoiceButtonProps extends Omit<PickerRequest, 'anchor'> {
  readonly id: string;
  /** The current choice. */
  readonly text: string;
  readonly code?: boolean | undefined;
  /** Nothing is chosen: `text` explains what that means. */
  readonly muted?: boolean | undefined;
  readonly detail?: string | undefined;
  readonly label: string;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
  readonly readOnly: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** Button that looks like a select and opens the form's picker. */
export function ChoiceButton(props: ChoiceButtonProps) {
  const { pick } = useForm();
  return (
    <button
      type="button"
      id={props.id}
      ref={props.ref}
      className={controls.choice}
      data-control=""
      data-muted={props.muted || undefined}
      data-invalid={props.invalid || undefined}
      disabled={props.readOnly}
      aria-haspopup="dialog"
      aria-label={[`${props.label}:`, props.text, props.detail].filter(Boolean).join(' ')}
      aria-describedby={props.describedBy}
      onClick={(event) => pick({ ...props, anchor: event.currentTarget })}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
        event.preventDefault();
        pick({ ...props, anchor: event.currentTarget });
      }}
    >
      <span className={controls.choiceText} data-code={props.code || undefined}>
        {props.text}
      </span>
      {/* Separates the two for screen readers. */ ' '}
      {props.detail !== undefined && <span className={controls.choiceDetail}>{props.detail}</span>}
      <IconChevronDown size={14} className={controls.choiceIcon} aria-hidden />
    </button>
  );
}
