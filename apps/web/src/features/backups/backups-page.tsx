import { Button } from '@mantine/core';
import { useState } from 'react';
import { routes, useApiList } from '../../api/index.ts';
import { type Project, useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { CommandLine, DataTable, Empty, Page, Section, useTableState } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { BACKUP_COLUMNS, type Backup } from './backup-columns.tsx';
import { BackupDrawer } from './backup-drawer.tsx';
import { MakeDrawer, type StartedJob } from './make-drawer.tsx';
import { RestoreDrawer } from './restore/restore-drawer.tsx';
import { Running } from './running.tsx';
import { Schedules } from './schedules.tsx';
import { ScopeProvider, useScope } from './scope.ts';

const text = texts.backups;
/** Events tell of the jobs of a project, not of those of the installation, nor of uploads. */
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
  const { project, query } = useScope();
  const can = useCan();
  const url = useUrlState();
  const state = useTableState();
  const [job, setJob] = useState<StartedJob>();
  const list = useApiList<Backup>(routes.backup.list, { query }, { topics: ['job'], refetchEveryMs: REFRESH_MS });
  const canMake = can(routes.backup.export);
  const canRestore = project !== undefined && can(routes.backup.import);
  const make = () => url.set({ make: 'backup' }, 'push');
  return (
    <Page
      title={text.title}
      lead={project ? text.leadProject : text.leadInstallation}
      isWide
      actions={
        <>
          {canRestore && (
            <Button variant="default" onClick={() => url.set({ restore: 'upload' }, 'push')}>
              {text.restore.action}
            </Button>
          )}
          {canMake && <Button onClick={make}>{text.make.action}</Button>}
        </>
      }
    >
      {job && <Running key={job.id} job={job} />}
      <div className={layout.stack}>
        <DataTable
          name={text.list}
          list={list}
          state={state}
          columns={BACKUP_COLUMNS}
          rowId={({ id }) => id}
          empty={
            <Empty title={text.empty.title} action={canMake && <Button onClick={make}>{text.make.first}</Button>}>
              {text.empty.text}
            </Empty>
          }
        />
      </div>
      {can(routes.job.schedules) && <Schedules />}
      {!project && (
        <Section title={text.installation.title}>
          <p className={layout.note}>{text.installation.text}</p>
          <CommandLine text={text.installation.command} />
        </Section>
      )}
      {canMake && <MakeDrawer onStarted={setJob} />}
      <BackupDrawer canRestore={canRestore} />
      {canRestore && <RestoreDrawer project={project} />}
    </Page>
  );
}
