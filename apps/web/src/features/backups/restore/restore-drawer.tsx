import { useState } from 'react';
import { routes, useApi } from '../../../api/index.ts';
import type { Project } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Loaded, Section, UrlDrawer } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import type { Backup } from '../backup-columns.tsx';
import { useScope } from '../scope.ts';
import { texts } from '../texts.ts';
import { ApplyStep } from './apply-step.tsx';
import { type Opened, OpenStep } from './open-step.tsx';
import { PlanView } from './plan-view.tsx';
import { type BegunRestore, Restoring } from './restoring.tsx';
import { UploadStep } from './upload-step.tsx';

const text = texts.restore;

/** `?restore=upload` asks for a file, `?restore=<id>` continues with an existing backup. */
export function RestoreDrawer({ project }: { project: Project }) {
  const url = useUrlState();
  return (
    <UrlDrawer name="restore" title={text.title} size="min(760px, 100vw)" holdsSecret>
      {(asked, close) =>
        asked === 'upload' ? (
          <UploadStep onTaken={({ id }) => url.set({ restore: id })} />
        ) : (
          <OfBackup id={asked} project={project} onDone={close} />
        )
      }
    </UrlDrawer>
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
    <Loaded query={found} what={texts.detail.what} missing={<p className={layout.note}>{texts.detail.missing}</p>}>
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
