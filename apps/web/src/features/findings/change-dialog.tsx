import { Button, Group, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { FormDialog, Problem, useSending, useWrite } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { ACCEPT_DAYS, type Asked, NOBODY, toChange, toDate, type Values } from './change-model.ts';
import { texts } from './texts.tsx';
import { useDryRun } from './use-dry-run.ts';
import { useOwnerOptions } from './use-owners.ts';

const text = texts.actions;
const DAY_MS = 86_400_000;
const ACCEPT_DAYS_MAX = 365;

interface ChangeDialogProps {
  readonly asked: Asked | undefined;
  readonly onClose: () => void;
}

/** Asks for the reason, the date or the owner of a change, and says first how many findings it changes. */
export function ChangeDialog({ asked, onClose }: ChangeDialogProps) {
  return (
    <FormDialog of={asked} title={({ to, count }) => text.titles[to](count)} onClose={onClose}>
      {(shown) => <ChangeForm asked={shown} onClose={onClose} />}
    </FormDialog>
  );
}

function ChangeForm({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  const project = useProject();
  const write = useWrite();
  const sending = useSending();
  const [values, setValues] = useState<Values>({
    note: '',
    until: toDate(Date.now() + ACCEPT_DAYS * DAY_MS),
    owner: null,
  });
  const change = toChange(asked.to, { ...values, note: values.note.trim() });
  const confirm = async () => {
    if (change === undefined) return;
    const isDone = await sending.send(() =>
      write(
        routes.finding.changeMany,
        { query: { project: project.id }, body: { select: asked.select, change } },
        {
          done: ({ changed }) => text.done(changed),
          stale: [routes.finding.list, routes.finding.get, routes.finding.history, routes.finding.summary],
        },
      ),
    );
    if (!isDone) return;
    asked.done?.();
    onClose();
  };
  return (
    <Stack gap="md">
      <p className={layout.note}>{text.explain[asked.to]}</p>
      <Matches asked={asked} />
      <Fields to={asked.to} values={values} onChange={(changed) => setValues({ ...values, ...changed })} />
      {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
      <Group justify="flex-end" gap="xs">
        <Button loading={sending.isBusy} disabled={change === undefined} onClick={() => void confirm()}>
          {wordOf(asked.to)}
        </Button>
      </Group>
    </Stack>
  );
}

interface FieldsProps {
  readonly to: Asked['to'];
  readonly values: Values;
  readonly onChange: (changed: Partial<Values>) => void;
}

function Fields({ to, values, onChange }: FieldsProps) {
  return (
    <>
      {to === 'owner' ? (
        <OwnerField value={values.owner} onChange={(owner) => onChange({ owner })} />
      ) : (
        <Textarea
          label={to === 'accepted' ? text.reason : text.note}
          required={to === 'accepted'}
          maxLength={2000}
          autosize
          minRows={2}
          value={values.note}
          onChange={(event) => onChange({ note: event.currentTarget.value })}
          data-autofocus
        />
      )}
      {to === 'accepted' && (
        <TextInput
          type="date"
          label={text.until}
          required
          min={toDate(Date.now() + DAY_MS)}
          max={toDate(Date.now() + ACCEPT_DAYS_MAX * DAY_MS)}
          value={values.until}
          onChange={(event) => onChange({ until: event.currentTarget.value })}
        />
      )}
    </>
  );
}

function wordOf(to: Asked['to']): string {
  const words: Readonly<Record<Asked['to'], string>> = {
    acknowledged: text.acknowledge,
    accepted: text.accept,
    fix_claimed: text.claim,
    new: text.reopen,
    owner: text.assign,
  };
  return words[to];
}

function OwnerField({ value, onChange }: { value: string | null; onChange: (value: string | null) => void }) {
  const owners = useOwnerOptions();
  return (
    <Select
      label={text.owner}
      data={[{ value: NOBODY, label: texts.nobody }, ...owners]}
      value={value}
      onChange={onChange}
      searchable
      data-autofocus
    />
  );
}

/** Runs the change without an effect to count what it changes. Only for changes of states, which need no further input for that. */
function Matches({ asked }: { asked: Asked }) {
  const counted = useDryRun(asked);
  if (asked.to === 'owner' || counted.error !== undefined) return null;
  if (counted.answer === undefined) return <p className={layout.note}>{text.counting}</p>;
  const { changed, unchanged, refused, remaining } = counted.answer;
  return (
    <p className={layout.note} role="status">
      {text.matches(changed, unchanged, refused)}
      {remaining > 0 && <> {text.remaining(remaining)}</>}
    </p>
  );
}
