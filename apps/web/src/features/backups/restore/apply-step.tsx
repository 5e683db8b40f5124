import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { call, routes } from '../../../api/index.ts';
import type { Project } from '../../../app/project.tsx';
import { texts } from '../../../texts/index.ts';
import { Problem, useSending } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { countWrites } from '../backup-model.ts';
import type { Opened } from './open-step.tsx';
import type { BegunRestore } from './restoring.tsx';

const text = texts.backups.restore;

interface ApplyStepProps {
  readonly opened: Opened;
  readonly project: Project;
  readonly onBegun: (restore: BegunRestore) => void;
}

/** Restores once the user has typed the name of the project. */
export function ApplyStep({ opened: { body, preview }, project, onBegun }: ApplyStepProps) {
  const sending = useSending();
  const [typed, setTyped] = useState('');
  const restore = async () => {
    const { body: begun } = await call(routes.backup.import, { query: { project: project.id }, body });
    if ('job' in begun) onBegun(begun);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void sending.send(restore);
  };
  if (preview.counts.refused > 0 || countWrites(preview) === 0) return null;
  return (
    <form className={layout.stack} onSubmit={submit}>
      <p className={layout.note}>{text.before}</p>
      {sending.error !== undefined && <Problem error={sending.error} what={text.applyFailed} />}
      <TextInput
        label={text.confirm(project.name)}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <div>
        <Button type="submit" color="red.9" loading={sending.isBusy} disabled={typed !== project.name}>
          {text.apply}
        </Button>
      </div>
    </form>
  );
}
