import { TextInput } from '@mantine/core';
import { call, routes } from '../../../api/index.ts';
import type { Project } from '../../../app/project.tsx';
import { ApiFormBody, useApiForm } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { countWrites } from '../backup-model.ts';
import { texts } from '../texts.ts';
import type { Opened } from './open-step.tsx';
import type { BegunRestore } from './restoring.tsx';

const text = texts.restore;

interface ApplyStepProps {
  readonly opened: Opened;
  readonly project: Project;
  readonly onBegun: (restore: BegunRestore) => void;
}

/** Restores once the user has typed the name of the project. */
export function ApplyStep({ opened: { body, preview }, project, onBegun }: ApplyStepProps) {
  const form = useApiForm({
    route: routes.backup.import,
    initial: { typed: '' },
    send: async () => {
      const { body: begun } = await call(routes.backup.import, { query: { project: project.id }, body });
      if ('job' in begun) onBegun(begun);
    },
  });
  if (preview.counts.refused > 0 || countWrites(preview) === 0) return null;
  return (
    <ApiFormBody
      form={form}
      action={text.apply}
      failed={text.applyFailed}
      isDangerous
      isReady={form.values.typed === project.name}
    >
      <p className={layout.note}>{text.before}</p>
      <TextInput label={text.confirm(project.name)} autoComplete="off" spellCheck={false} {...form.field('typed')} />
    </ApiFormBody>
  );
}
