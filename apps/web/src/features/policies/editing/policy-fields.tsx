import { TextInput } from '@mantine/core';
import { useCallback, useMemo, useRef } from 'react';
import { PolicyEditor } from '../../../changes/index.ts';
import { Copy, Notice } from '../../../ui/index.ts';
import { PolicyForm } from '../form/policy-form.tsx';
import type { PolicyContent, PolicyFile } from '../model.ts';
import { CheckFindings } from './check-findings.tsx';
import classes from './editing.module.css';
import { PolicyFiles } from './policy-files.tsx';
import { PolicyViewChoice, PolicyViews, usePolicyView } from './policy-views.tsx';
import { findRawKeys } from './raw-keys.ts';
import { texts } from './texts.tsx';
import type { PolicyCheck } from './use-policy-check.ts';
import { useRevealedLine } from './use-revealed-line.ts';

const wording = texts.policyFields;

export interface PolicyFieldsProps {
  readonly content: PolicyContent;
  /** undefined: the user may only read. */
  readonly onChange: ((content: PolicyContent) => void) | undefined;
  readonly check: PolicyCheck;
}

/** The text of a policy with its check results, description and files. */
export function PolicyFields({ content, onChange, check }: PolicyFieldsProps) {
  const { view, isWide } = usePolicyView();
  const frame = useRef<HTMLDivElement>(null);
  const { errors, warnings } = check;
  const notes = useMemo(() => [...errors, ...warnings], [errors, warnings]);
  const { revealed, follow, goTo } = useRevealedLine(content.text, frame);
  const { changeText, addFile } = useContentEdits(content, onChange);
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
      <CheckFindings errors={errors} warnings={warnings} onGo={goTo} />
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

/** Returns edits for form and text: an edit in one of them builds on the latest edit in the other. */
function useContentEdits(content: PolicyContent, onChange: PolicyFieldsProps['onChange']) {
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
  return { changeText, addFile };
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
