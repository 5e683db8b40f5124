import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo } from 'react';
import { routes, useApiList } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { DataTable, Empty, Page, useTableState } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { DeleteProject } from './delete-project.tsx';
import { NewProjectDrawer } from './new-project-drawer.tsx';
import { createProjectColumns, type Project } from './project-columns.tsx';
import { ProjectDrawer } from './project-drawer.tsx';

const text = texts.projects.projectsPage;

/** For owners of the installation. `?create=project` and `?edit=<id>` open the drawers, `?delete=<id>` the dialog. */
export function ProjectsPage() {
  const can = useCan();
  if (!can(routes.project.list))
    return (
      <Page title={text.page.title}>
        <Empty title={text.page.keptByOwners}>{text.page.whereYoursAre}</Empty>
      </Page>
    );
  return <Projects />;
}

function Projects() {
  const url = useUrlState();
  const state = useTableState();
  const list = useApiList<Project>(routes.project.list, { query: state.query }, { topics: ['project', 'user'] });
  const setUrl = url.set;
  const columns = useMemo(
    () =>
      createProjectColumns({
        onEdit: ({ id }) => setUrl({ edit: id }, 'push'),
        onDelete: ({ id }) => setUrl({ delete: id }, 'push'),
      }),
    [setUrl],
  );
  const create = () => url.set({ create: 'project' }, 'push');
  return (
    <Page
      title={text.list.title}
      lead={text.list.lead}
      isWide
      actions={
        <Button leftSection={<IconPlus size={14} />} onClick={create}>
          {text.list.create}
        </Button>
      }
    >
      <div className={layout.stack}>
        <DataTable
          name={text.list.name}
          list={list}
          state={state}
          columns={columns}
          rowId={({ id }) => id}
          searches={text.list.searches}
          empty={
            <Empty title={text.list.emptyTitle} action={<Button onClick={create}>{text.list.createFirst}</Button>}>
              {text.list.empty}
            </Empty>
          }
        />
      </div>
      <NewProjectDrawer />
      <ProjectDrawer />
      <DeleteProject />
    </Page>
  );
}
