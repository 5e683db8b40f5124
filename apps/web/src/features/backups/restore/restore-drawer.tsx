import { Drawer } from '@mantine/core';
import { useState } from 'react';
import { routes, useApi } from '../../../api/index.ts';
import type { Project } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { texts } from '../../../texts/index.ts';
import { Loaded, Section } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import type { Backup } from '../backup-columns.tsx';
import { useScope } from '../scope.ts';
import { ApplyStep } from './apply-step.tsx';
import { type Opened, OpenStep } from './open-step.tsx';
import { PlanView } from './plan-view.tsx';
import { type BegunRestore, Restoring } from './restoring.tsx';
import { UploadStep } from './upload-step.tsx';

const text = texts.backups.restore;

/** `?restore=upload` asks for the file, `?restore=<id>` goes on with a backup that is there. */
export function RestoreDrawer({ project }: { project: Project }) {
  const url = useUrlState();
  const asked = url.get('restore');
  const close = () => url.set({ restore: undefined });
  return (
    <Drawer
      opened={asked !== undefined}
      onClose={close}
      title={text.title}
      size="min(760px, 100vw)"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {asked === 'upload' && <UploadStep onTaken={({ id }) => url.set({ restore: id })} />}
      {asked !== undefined && asked !== 'upload' && (
        <OfBackup key={asked} id={asked} project={project} onDone={close} />
      )}
    </Drawer>
  );
}

interface StepsProps {
  readonly project: Project;
  readonly onDone: () => void;
}

function OfBackup({ id, ...rest }: StepsProps & { readonly id: string }) {
  const { query } = useScope();
  const found = useApi(routes.backup.get, { params: { backup_id: id }, query });
  return (
    <Loaded
      query={found}
      what={texts.backups.detail.what}
      missing={<p className={layout.note}>{texts.backups.detail.missing}</p>}
    >
      {({ body }) => <Steps backup={body} {...rest} />}
    </Loaded>
  );
}

function Steps({ backup, project, onDone }: StepsProps & { readonly backup: Backup }) {
  const [opened, setOpened] = useState<Opened>();
  const [begun, setBegun] = useState<BegunRestore>();
  if (begun) return <Restoring begun={begun} project={project} onDone={onDone} />;
  return (
    <div className={layout.stack}>
      <OpenStep backup={backup} project={project} onOpened={setOpened} />
      {opened && (
        <Section title={text.plan}>
          <div className={layout.stack}>
            <PlanView summary={opened.preview} />
            <ApplyStep opened={opened} project={project} onBegun={setBegun} />
          </div>
        </Section>
      )}
    </div>
  );
}
