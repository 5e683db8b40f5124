import type { RestorePlan } from '@flotilla/contract';
import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError, call, routes } from '../../../api/index.ts';
import type { Project } from '../../../app/project.tsx';
import { texts } from '../../../texts/index.ts';
import { Notice, Problem, useSending } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { countWrites } from '../backup-model.ts';
import type { Opened } from './open-step.tsx';
import type { BegunRestore } from './restoring.tsx';

const text = texts.backups.restore;

interface ApplyStepProps {
  readonly opened: Opened;
  readonly project: Project;
  /** The project has changed meanwhile: nothing was done, and this would be. */
  readonly onReplanned: (plan: RestorePlan) => void;
  readonly onBegun: (restore: BegunRestore) => void;
}

/** Does what was shown, once the name of the project was typed. */
export function ApplyStep({ opened: { body, plan }, project, onReplanned, onBegun }: ApplyStepProps) {
  const sending = useSending();
  const [typed, setTyped] = useState('');
  const isChanged = sending.error instanceof ApiError && sending.error.code === 'backup.plan_changed';
  const query = { project: project.id };
  const restore = async () => {
    try {
      const { body: begun } = await call(routes.backup.import, { query, body: { ...body, digest: plan.digest } });
      onBegun(begun);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'backup.plan_changed') {
        setTyped('');
        onReplanned((await call(routes.backup.plan, { query, body })).body);
      }
      throw error;
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void sending.send(restore);
  };
  const changed = isChanged && (
    <Notice tone="warn" title={text.changed}>
      {text.changedText}
    </Notice>
  );
  if (countWrites(plan) === 0) return changed;
  return (
    <form className={layout.stack} onSubmit={submit}>
      <p className={layout.note}>{text.before}</p>
      {changed}
      {sending.error !== undefined && !isChanged && <Problem error={sending.error} what={text.applyFailed} />}
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
