import { type ChangeEvent, type KeyboardEvent, useState } from 'react';
import { isEqualJson, type Json } from '../model/json.ts';
import type { ControlProps } from './control-props.ts';
import controls from './controls.module.css';

interface TextControlProps extends ControlProps {
  /** Converts between the value in the document and the text in the input. Text that is no valid value is kept as text. */
  readonly toText: (value: Json | undefined) => string;
  readonly fromText: (text: string) => Json;
  readonly placeholder?: string | undefined;
  readonly code?: boolean | undefined;
  readonly multiline?: boolean | undefined;
  readonly numeric?: boolean | undefined;
}

/** Input for any value written on one or several lines. While it has the focus it shows the typed text, afterwards the resulting value. */
export function TextControl(props: TextControlProps) {
  const { id, value, toText, fromText, onCommit, keepsEmpty, secret } = props;
  const [draft, setDraft] = useState<{ readonly text: string; readonly json: Json | undefined }>();
  // The typed text is shown only while the document has its value: undo wins.
  const text = draft && isEqualJson(draft.json, value) ? draft.text : toText(value);

  const change = (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
    const typed = event.currentTarget.value;
    const json = typed === '' && !keepsEmpty ? undefined : fromText(typed);
    setDraft({ text: typed, json });
    onCommit(json, true);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || !props.onEnter || event.shiftKey) return;
    event.preventDefault();
    props.onEnter();
  };
  const shared = {
    id,
    value: text,
    'data-control': '',
    'data-code': props.code || undefined,
    'data-secret': secret || undefined,
    'aria-label': props.label,
    'aria-describedby': props.describedBy,
    'aria-invalid': props.invalid || undefined,
    'aria-required': props.field.required || undefined,
    readOnly: props.readOnly,
    placeholder: props.placeholder,
    autoComplete: 'off',
    autoCapitalize: 'off',
    spellCheck: false,
    onChange: change,
    onBlur: () => setDraft(undefined),
  };
  if (!props.multiline && !text.includes('\n')) {
    return (
      <input
        {...shared}
        type="text"
        className={controls.input}
        inputMode={props.numeric ? (props.field.value.kind === 'scalar' ? 'decimal' : 'text') : undefined}
        onKeyDown={onKeyDown}
      />
    );
  }
  return <textarea {...shared} className={controls.area} rows={Math.min(16, Math.max(2, text.split('\n').length))} />;
}
