import { useState } from 'react';
import styles from '../form.module.css';
import { isEqualJson, type Json } from '../model/json.ts';
import type { ControlProps } from './control-props.ts';
import controls from './controls.module.css';
import { texts } from './texts.tsx';

const words = texts.jsonControl;

/** Editor of free-form JSON. The document changes only when the text is valid; until then the text and its errors stay here. */
export function JsonControl(props: ControlProps) {
  const { value, onCommit } = props;
  const [draft, setDraft] = useState<{
    readonly text: string;
    readonly json: Json | undefined;
    readonly problem?: string;
  }>();
  const standing = draft && isEqualJson(draft.json, value) ? draft : undefined;
  const text = standing?.text ?? (value === undefined ? '' : JSON.stringify(value, undefined, 2));
  const problemId = `${props.id}-json`;

  const change = (typed: string) => {
    if (typed.trim() === '') {
      setDraft({ text: typed, json: undefined });
      onCommit(undefined, true);
      return;
    }
    try {
      const json = JSON.parse(typed) as Json;
      setDraft({ text: typed, json });
      onCommit(json, true);
    } catch (error) {
      const reason = error instanceof SyntaxError ? error.message : words.unreadable;
      setDraft({ text: typed, json: value, problem: reason });
    }
  };
  return (
    <>
      <textarea
        id={props.id}
        className={controls.area}
        data-code
        data-control=""
        rows={Math.min(16, Math.max(2, text.split('\n').length))}
        value={text}
        readOnly={props.readOnly}
        spellCheck={false}
        autoComplete="off"
        placeholder="{ }"
        aria-label={props.label}
        aria-describedby={[props.describedBy, standing?.problem && problemId].filter(Boolean).join(' ') || undefined}
        aria-invalid={props.invalid || standing?.problem !== undefined || undefined}
        onChange={(event) => change(event.currentTarget.value)}
      />
      {standing?.problem !== undefined && (
        <div className={styles.problem} id={problemId}>
          {words.notTakenOver(standing.problem)}
        </div>
      )}
    </>
  );
}
