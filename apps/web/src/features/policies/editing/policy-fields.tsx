import { TextInput } from '@mantine/core';
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useUrlState } from '../../../app/url-state.ts';
import { PolicyEditor } from '../../../changes/index.ts';
import type { RevealedLine } from '../../../editor/index.ts';
import { Copy, Notice } from '../../../ui/index.ts';
import { lineOfPlace } from '../form/line-of-place.ts';
import { placeOfPath } from '../form/place.ts';
import { PolicyForm } from '../form/policy-form.tsx';
import type { PolicyContent, PolicyFile } from '../model.ts';
import { ERRORS_ID } from './check-state.tsx';
import classes from './editing.module.css';
import type { PlacedError } from './policy-errors.ts';
import { PolicyFiles } from './policy-files.tsx';
import { PolicyViewChoice, PolicyViews, usePolicyView } from './policy-views.tsx';
import { findRawKeys } from './raw-keys.ts';
import { texts } from './texts.tsx';
import type { PolicyCheck } from './use-policy-check.ts';

const wording = texts.policyFields;

export interface PolicyFieldsProps {
  readonly content: PolicyContent;
  /** undefined: the user may only read. */
  readonly onChange: ((content: PolicyContent) => void) | undefined;
  readonly check: PolicyCheck;
}

const FINDINGS_SHOWN_MAX = 8;
const WARNINGS_OPEN_MAX = 3;

/** The text of a policy with its check results, description and files. */
export function PolicyFields({ content, onChange, check }: PolicyFieldsProps) {
  const url = useUrlState();
  const { view, isWide } = usePolicyView();
  const frame = useRef<HTMLDivElement>(null);
  const line = Number(url.get('line')) || undefined;
  const { errors, warnings } = check;
  const notes = useMemo(() => [...errors, ...warnings], [errors, warnings]);
  const [revealed, reveal] = useState<RevealedLine>();
  useEffect(() => {
    if (line !== undefined) reveal({ line, takesCursor: true });
  }, [line]);
  // Opening a part in the form scrolls the text to it, and vice versa.
  const at = url.get('at');
  const opened = useRef<string>(undefined);
  const findLine = useEffectEvent((place: string) => lineOfPlace(content.text, place));
  useEffect(() => {
    const isNews = at !== opened.current;
    opened.current = at;
    const target = at === undefined || !isNews || line !== undefined ? undefined : findLine(at);
    if (target !== undefined) reveal({ line: target, takesCursor: false });
  }, [at, line]);
  const follow = (path: string) => {
    const place = placeOfPath(path);
    if (place === undefined || place === at || !frame.current?.contains(document.activeElement)) return;
    opened.current = place;
    url.set({ at: place });
  };
  const goTo = ({ line: target, path }: PlacedError) => {
    const place = placeOfPath(path);
    url.set({ at: place });
    if (target === undefined) return;
    // Scrolls to the exact line, not to the beginning of its part.
    opened.current = place;
    reveal({ line: target, takesCursor: true });
  };
  // An edit in one view must build on the latest edit in the other.
  const latest = useRef({ content, onChange });
  latest.current = { content, onChange };
  const changeText = useCallback((text: string) => {
    const { content: before, onChange: change } = latest.current;
    latest.current.content = { ...before, text };
    change?.(latest.current.content);
  }, []);
  const addFile = useCallback((file: PolicyFile) => {
    const { content: before, onChange: change } = latest.current;
    latest.current.content = { ...before, files: [...before.files.filter(({ path }) => path !== file.path), file] };
    change?.(latest.current.content);
  }, []);
  return (
    <div className={classes.fields}>
      <div className={classes.bar}>
        <PolicyViewChoice view={view} isWide={isWide} />
      </div>
      <PolicyViews
        view={view}
        form={
          <PolicyForm
            text={content.text}
            onChange={onChange && changeText}
            errors={errors}
            files={content.files}
            onFile={addFile}
          />
        }
        text={
          <div ref={frame}>
            <PolicyEditor
              text={content.text}
              onChange={onChange && changeText}
              errors={notes}
              readOnly={!onChange}
              onCursorPath={view === 'both' ? follow : undefined}
              revealed={revealed}
              minHeight="320px"
              maxHeight="calc(100dvh - 260px)"
            />
          </div>
        }
      />
      {errors.length > 0 && (
        <div id={ERRORS_ID} className={classes.errors}>
          <Notice tone="bad" title={wording.form.errors(errors.length)}>
            <ul className={classes.findings}>
              {errors.slice(0, FINDINGS_SHOWN_MAX).map((error) => (
                <li key={`${error.line} ${error.path} ${error.message}`}>
                  <Finding error={error} onGo={goTo} />
                </li>
              ))}
              {errors.length > FINDINGS_SHOWN_MAX && (
                <li>{wording.form.andMore(errors.length - FINDINGS_SHOWN_MAX)}</li>
              )}
            </ul>
          </Notice>
        </div>
      )}
      {errors.length === 0 && warnings.length > 0 && (
        <details className={classes.warnings} open={warnings.length <= WARNINGS_OPEN_MAX}>
          <summary>{wording.form.suggestions(warnings.length)}</summary>
          <ul className={classes.findings}>
            {warnings.map((warning) => (
              <li key={`${warning.line} ${warning.path} ${warning.message}`}>
                <Finding error={warning} onGo={goTo} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {onChange && <RawKeys text={content.text} />}
      {(onChange || content.description !== '') && (
        <TextInput
          label={wording.form.description}
          description={wording.form.descriptionHint}
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

function Finding({ error, onGo }: { error: PlacedError; onGo: (error: PlacedError) => void }) {
  const { line, path, message } = error;
  const words = (
    <>
      {line !== undefined && <strong>{wording.finding.atLine(line)}</strong>}
      <span className="mono">{path}</span> {message}
    </>
  );
  if (line === undefined) return words;
  return (
    <button type="button" className={classes.finding} onClick={() => onGo(error)}>
      {words}
    </button>
  );
}

function RawKeys({ text }: { text: string }) {
  const keys = useMemo(() => findRawKeys(text), [text]);
  if (keys.length === 0) return null;
  return (
    <Notice tone="busy" title={wording.rawKeys.title(keys.length)}>
      {wording.rawKeys.replaced(keys.length)}
      <ul className={classes.keys}>
        {keys.map(({ line, key, subject }) => (
          <li key={line}>
            <span>
              {wording.rawKeys.atLine(
                line,
                subject && (
                  <>
                    , <bdi>{subject}</bdi>
                  </>
                ),
              )}
            </span>
            <Copy text={key} what={wording.rawKeys.keyOfLine(line)} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}
