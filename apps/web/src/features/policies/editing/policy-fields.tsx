import { TextInput } from '@mantine/core';
import { useEffect, useMemo, useRef } from 'react';
import { useUrlState } from '../../../app/url-state.ts';
import { PolicyEditor } from '../../../changes/index.ts';
import { Copy, explain, Notice, State } from '../../../ui/index.ts';
import type { PolicyContent } from '../model.ts';
import classes from './editing.module.css';
import { PolicyFiles } from './policy-files.tsx';
import { findRawKeys } from './raw-keys.ts';
import { revealLine } from './reveal-line.ts';
import type { PolicyCheck } from './use-policy-check.ts';

export interface PolicyFieldsProps {
  readonly content: PolicyContent;
  /** Undefined for those who may only read. */
  readonly onChange: ((content: PolicyContent) => void) | undefined;
  readonly check: PolicyCheck;
}

const FINDINGS_SHOWN_MAX = 8;

/** The text of a policy with what the filter says of it, its description and its files. */
export function PolicyFields({ content, onChange, check }: PolicyFieldsProps) {
  const url = useUrlState();
  const frame = useRef<HTMLDivElement>(null);
  const line = Number(url.get('line')) || undefined;
  const errors = check.errors;
  useEffect(() => {
    if (line !== undefined && frame.current) return revealLine(frame.current, line);
    return undefined;
  }, [line]);
  const goTo = (target: number) => {
    if (frame.current) revealLine(frame.current, target);
  };
  return (
    <div className={classes.fields}>
      {onChange && (
        <div className={classes.bar}>
          <CheckState check={check} />
        </div>
      )}
      <div ref={frame}>
        <PolicyEditor
          text={content.text}
          onChange={onChange && ((text) => onChange({ ...content, text }))}
          errors={errors}
          readOnly={!onChange}
          minHeight="320px"
          maxHeight="calc(100dvh - 300px)"
        />
      </div>
      {errors.length > 0 && (
        <Notice tone="bad" title={errors.length === 1 ? 'One thing to mend' : `${errors.length} things to mend`}>
          <ul className={classes.findings}>
            {errors.slice(0, FINDINGS_SHOWN_MAX).map((error) => (
              <li key={`${error.line} ${error.path} ${error.message}`}>
                <Finding error={error} onGo={goTo} />
              </li>
            ))}
            {errors.length > FINDINGS_SHOWN_MAX && <li>and {errors.length - FINDINGS_SHOWN_MAX} more</li>}
          </ul>
        </Notice>
      )}
      {onChange && <RawKeys text={content.text} />}
      {(onChange || content.description !== '') && (
        <TextInput
          label="Description"
          description="What it is for, for those who find it later"
          maxLength={4096}
          value={content.description}
          readOnly={!onChange}
          onChange={(event) => onChange?.({ ...content, description: event.currentTarget.value })}
        />
      )}
      {(onChange || content.files.length > 0) && (
        <PolicyFiles files={content.files} onChange={onChange && ((files) => onChange({ ...content, files }))} />
      )}
    </div>
  );
}

function Finding({ error, onGo }: { error: PolicyCheck['errors'][number]; onGo: (line: number) => void }) {
  const { line, path, message } = error;
  const words = (
    <>
      {line !== undefined && <strong>Line {line} </strong>}
      <span className="mono">{path}</span> {message}
    </>
  );
  if (line === undefined) return words;
  return (
    <button type="button" className={classes.finding} onClick={() => onGo(line)}>
      {words}
    </button>
  );
}

function CheckState({ check: { state, errors, failure } }: { check: PolicyCheck }) {
  switch (state) {
    case 'idle':
      return <span className={classes.dimmed}>Checked by the filter's own rules while you type</span>;
    case 'busy':
      return <State word="Checking" tone="busy" shape="arc" />;
    case 'good':
      return <State word="The filter would take it" tone="good" shape="full" />;
    case 'bad':
      return (
        <State
          word={`The filter would refuse it: ${errors.length} ${errors.length === 1 ? 'error' : 'errors'}`}
          tone="bad"
          shape="triangle"
        />
      );
    case 'unknown':
      return <State word="Not checked" tone="warn" shape="triangle" why={explain(failure).message} />;
  }
}

function RawKeys({ text }: { text: string }) {
  const keys = useMemo(() => findRawKeys(text), [text]);
  if (keys.length === 0) return null;
  return (
    <Notice
      tone="busy"
      title={
        keys.length === 1
          ? 'One raw key: copy it before you save'
          : `${keys.length} raw keys: copy them before you save`
      }
    >
      Saving replaces {keys.length === 1 ? 'it by its' : 'each by its'} SHA-256; nobody can read it back. Until then it
      is in this page alone: a reload forgets it.
      <ul className={classes.keys}>
        {keys.map(({ line, key, subject }) => (
          <li key={line}>
            <span>
              Line {line}
              {subject && (
                <>
                  , <bdi>{subject}</bdi>
                </>
              )}
            </span>
            <Copy text={key} what={`the key of line ${line}`} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}
