import type { SettingView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import type { FormEvent, ReactNode } from 'react';
import type { Loaded } from '../../api/index.ts';
import { ConflictDialog } from '../../changes/index.ts';
import { texts } from '../../texts/index.ts';
import { Confirm, Notice, Refusal, sayDone, Time } from '../../ui/index.ts';
import { SchemaFields } from './fields/schema-fields.tsx';
import { SettingFormContext } from './form-context.ts';
import type { FieldSpec } from './schema-fields.ts';
import classes from './settings.module.css';
import { TestSetting } from './test-setting.tsx';
import { errorsOf, type SettingPlace, useSettingEditor } from './use-setting-editor.ts';

const text = texts.settings;

interface SettingEditorProps {
  readonly title: string;
  readonly place: SettingPlace;
  readonly stored: Loaded<SettingView>;
  readonly fields: readonly FieldSpec[];
  readonly mayWrite: boolean;
  readonly mayTest: boolean;
  /** Something outside the form is still missing. */
  readonly isIncomplete?: boolean;
  /** Further buttons, beside Save. */
  readonly actions?: ReactNode;
  readonly onSaved: () => void;
}

/** One settings document as a form. */
export function SettingEditor({
  title,
  place,
  stored,
  fields,
  mayWrite,
  mayTest,
  isIncomplete,
  actions,
  onSaved,
}: SettingEditorProps) {
  const editor = useSettingEditor(stored, place, fields);
  const { sending } = editor;
  const errors = errorsOf(sending.error);
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      editor.isChanged && current.pathname !== next.pathname && !window.confirm(text.leave),
    enableBeforeUnload: editor.isChanged,
  });
  const { question } = editor;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await editor.save()) onSaved();
  };
  const form = {
    kind: place.key,
    isReadOnly: !mayWrite,
    stored: new Map(stored.body.private.map(({ path, updated_at }) => [path, updated_at])),
    secrets: editor.secrets,
    setSecret: editor.setSecret,
    errorAt: (path: string) => errors.get(path),
  };
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)} noValidate aria-label={title}>
      {stored.body.refused && (
        <Notice tone="bad" title={text.refused.title}>
          {text.refused.text([...new Set(stored.body.refused.map(({ path }) => path))].join(', '))}
        </Notice>
      )}
      <SettingFormContext value={form}>
        <SchemaFields key={editor.edition} fields={fields} values={editor.values} onChange={editor.setValues} path="" />
      </SettingFormContext>
      {sending.error !== undefined && <Refusal error={sending.error} what={text.failed} />}
      {mayTest && <TestSetting place={place} body={editor.body} />}
      <div className={classes.buttons}>
        {mayWrite && (
          <>
            <Button type="submit" loading={sending.isBusy} disabled={!editor.isChanged || isIncomplete === true}>
              {text.save}
            </Button>
            <Button variant="default" onClick={editor.discard} disabled={!editor.isChanged}>
              {text.discard}
            </Button>
          </>
        )}
        <span className={`${classes.changed} ${classes.grow}`}>
          {editor.isChanged ? text.unsaved : <LastChange view={stored.body} />}
        </span>
        {actions}
      </div>
      <ConflictDialog
        conflict={editor.conflict}
        language="json"
        onResolved={editor.resolve}
        onClose={editor.closeConflict}
      />
      <Confirm
        opened={question !== undefined}
        title={text.locksOut.title}
        action={text.locksOut.action}
        isDangerous
        onClose={editor.closeQuestion}
        onConfirm={async () => {
          if (await editor.save(question?.people)) onSaved();
        }}
      >
        {question && text.locksOut.text(question.people, question.host)}
      </Confirm>
    </form>
  );
}

function LastChange({ view: { updated_at, updated_by } }: { view: SettingView }) {
  if (updated_at === null) return text.never;
  return (
    <>
      {text.changedBy} <bdi>{updated_by}</bdi> <Time at={updated_at} />
    </>
  );
}

export function saySaved(title: string): void {
  sayDone(text.saved(title));
}
