import type { SettingView } from '@flotilla/contract';
import { Button, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import type { Loaded } from '../../api/index.ts';
import { useLeaveGuard } from '../../app/leave-guard.ts';
import { ConflictDialog } from '../../changes/index.ts';
import { ConfirmRecord, Notice, Refusal, sayDone, Time } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';
import { SchemaFields } from './fields/schema-fields.tsx';
import { SettingFormContext } from './form-context.ts';
import type { FieldSpec } from './schema-fields.ts';
import classes from './settings.module.css';
import { TestSetting } from './test-setting.tsx';
import { texts } from './texts.ts';
import { errorsOf, type SettingPlace, useSettingEditor } from './use-setting-editor.ts';

const text = texts;

interface SettingEditorProps {
  readonly title: string;
  readonly place: SettingPlace;
  readonly stored: Loaded<SettingView>;
  readonly fields: readonly FieldSpec[];
  readonly mayWrite: boolean;
  readonly mayTest: boolean;
  /** Whether something outside the form is still missing. */
  readonly isIncomplete?: boolean;
  /** Buttons beside Save. */
  readonly actions?: ReactNode;
  readonly onSaved: () => void;
}

export function SettingEditor(props: SettingEditorProps) {
  const { title, place, stored, fields, mayWrite, mayTest, isIncomplete = false, actions, onSaved } = props;
  const editor = useSettingEditor(stored, place, fields);
  const { sending } = editor;
  const errors = errorsOf(sending.error);
  useLeaveGuard({ isNeeded: editor.isChanged, question: text.leave });
  const save = async (people?: number) => {
    if (await editor.save(people)) onSaved();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save();
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
    <form onSubmit={submit} noValidate aria-label={title}>
      <Stack gap="md" maw={640}>
        {stored.body.refused && <StoredRefused refused={stored.body.refused} />}
        <SettingFormContext value={form}>
          <SchemaFields
            key={editor.edition}
            fields={fields}
            values={editor.values}
            onChange={editor.setValues}
            path=""
          />
        </SettingFormContext>
        {sending.error !== undefined && <Refusal error={sending.error} what={text.failed} />}
        {mayTest && <TestSetting place={place} body={editor.body} />}
        <Buttons editor={editor} view={stored.body} canSave={mayWrite} isIncomplete={isIncomplete}>
          {actions}
        </Buttons>
        <ConflictDialog
          conflict={editor.conflict}
          language="json"
          onResolved={editor.resolve}
          onClose={editor.closeConflict}
        />
        <ConfirmRecord
          of={editor.question}
          title={() => text.locksOut.title}
          action={text.locksOut.action}
          isDangerous
          onClose={editor.closeQuestion}
          onConfirm={({ people }) => save(people)}
        >
          {({ people, host }) => text.locksOut.text(people, host)}
        </ConfirmRecord>
      </Stack>
    </form>
  );
}

/** A newer version of the program may refuse what an older one stored. */
function StoredRefused({ refused }: { refused: NonNullable<SettingView['refused']> }) {
  return (
    <Notice tone="bad" title={text.refused.title}>
      {text.refused.text([...new Set(refused.map(({ path }) => path))].join(', '))}
    </Notice>
  );
}

interface ButtonsProps {
  readonly editor: ReturnType<typeof useSettingEditor>;
  readonly view: SettingView;
  readonly canSave: boolean;
  readonly isIncomplete: boolean;
  readonly children: ReactNode;
}

function Buttons({ editor, view, canSave, isIncomplete, children }: ButtonsProps) {
  return (
    <div className={classes.buttons}>
      {canSave && (
        <>
          <Button type="submit" loading={editor.sending.isBusy} disabled={!editor.isChanged || isIncomplete}>
            {text.save}
          </Button>
          <Button variant="default" onClick={editor.discard} disabled={!editor.isChanged}>
            {text.discard}
          </Button>
        </>
      )}
      <span className={`${lines.dim} ${lines.grow}`}>
        {editor.isChanged ? text.unsaved : <LastChange view={view} />}
      </span>
      {children}
    </div>
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
