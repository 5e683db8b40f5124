import { memo, useId, useState } from 'react';
import controls from '../controls/controls.module.css';
import styles from '../form.module.css';
import { useFocusTarget, useForm } from '../form-context.ts';
import { checkKey } from '../model/check-value.ts';
import type { JsonObject } from '../model/json.ts';
import { joinPath } from '../model/path.ts';
import type { FieldDescription } from '../schema-source.ts';
import groups from './groups.module.css';
import { texts } from './texts.tsx';

const words = texts.mapRow;

interface MapKeyProps {
  readonly name: string;
  readonly at: string;
  readonly field: FieldDescription;
  readonly readOnly: boolean;
}

/** Input for the key of a pair. Applies on blur, so that an intermediate key overwrites no other pair. */
export const MapKey = memo(function MapKey({ name, at, field, readOnly }: MapKeyProps) {
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
