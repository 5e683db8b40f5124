import { Button } from '@mantine/core';
import { useState } from 'react';
import { routes } from '../../api/index.ts';
import { type Project, useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { CommandLine, ListPage, Section } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { BACKUP_COLUMNS, type Backup } from './backup-columns.tsx';
import { BackupDrawer } from './backup-drawer.tsx';
import { MakeDrawer, type StartedJob } from './make-drawer.tsx';
import { RestoreDrawer } from './restore/restore-drawer.tsx';
import { Running } from './running.tsx';
import { Schedules } from './schedules.tsx';
import { ScopeProvider, useScope } from './scope.ts';
import { texts } from './texts.ts';

const text = texts;
/** Events report the jobs of a project, but neither jobs of the installation nor uploads. */
const REFRESH_MS = 5000;

export function ProjectBackupsPage() {
  return <ScopedPage project={useProject()} />;
}

export function InstallationBackupsPage() {
  return <ScopedPage project={undefined} />;
}

function ScopedPage({ project }: { project: Project | undefined }) {
  return (
    <ScopeProvider value={project}>
      <BackupsPage />
    </ScopeProvider>
  );
}

/** `?make=backup`, `?backup=<id>` and `?restore=upload` or `?restore=<id>` open the drawers. */
function BackupsPage() {
  const { project } = useScope();
  const can = useCan();
  const url = useUrlState();
  const [job, setJob] = useState<StartedJob>();
  const canRestore = project !== undefined && can(routes.backup.import);
  return (
    <ListPage<Backup>
      words={{ ...text, lead: project ? text.leadProject : text.leadInstallation }}
      route={routes.backup.list}
      isInstallation={!project}
      topics={['job']}
      refetchEveryMs={REFRESH_MS}
      columns={BACKUP_COLUMNS}
      create={{ route: routes.backup.export, opens: { make: 'backup' } }}
      pageActions={
        canRestore && (
          <Button variant="default" onClick={() => url.set({ restore: 'upload' }, 'push')}>
            {text.restore.action}
          </Button>
        )
      }
      above={job && <Running key={job.id} job={job} />}
    >
      {can(routes.job.schedules) && <Schedules />}
      {!project && (
        <Section title={text.installation.title}>
          <p className={layout.note}>{text.installation.text}</p>
          <CommandLine text={text.installation.command} />
        </Section>
      )}
      {can(routes.backup.export) && <MakeDrawer onStarted={setJob} />}
      <BackupDrawer canRestore={canRestore} />
      {canRestore && <RestoreDrawer project={project} />}
    </ListPage>
  );
}
