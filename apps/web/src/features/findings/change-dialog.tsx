import { Button, Group, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { FormDialog, Problem, useSending, useWrite } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { ACCEPT_DAYS, type Asked, NOBODY, toChange, toDate } from './change-model.ts';
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
  const [note, setNote] = useState('');
  const [until, setUntil] = useState(toDate(Date.now() + ACCEPT_DAYS * DAY_MS));
  const [owner, setOwner] = useState<string | null>(null);
  const change = toChange(asked.to, { note: note.trim(), until, owner });
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
      {asked.to === 'owner' ? (
        <OwnerField value={owner} onChange={setOwner} />
      ) : (
        <Textarea
          label={asked.to === 'accepted' ? text.reason : text.note}
          required={asked.to === 'accepted'}
          maxLength={2000}
          autosize
          minRows={2}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          data-autofocus
        />
      )}
      {asked.to === 'accepted' && (
        <TextInput
          type="date"
          label={text.until}
          required
          min={toDate(Date.now() + DAY_MS)}
          max={toDate(Date.now() + ACCEPT_DAYS_MAX * DAY_MS)}
          value={until}
          onChange={(event) => setUntil(event.currentTarget.value)}
        />
      )}
      {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
      <Group justify="flex-end" gap="xs">
        <Button loading={sending.isBusy} disabled={change === undefined} onClick={() => void confirm()}>
          {wordOf(asked.to)}
        </Button>
      </Group>
    </Stack>
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
