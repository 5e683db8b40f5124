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
      <Page title={text.projectsPage.title}>
        <Empty title={text.projectsPage.keptByOwners}>{text.projectsPage.empty}</Empty>
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
      title={text.projects.title}
      lead={text.projects.lead}
      isWide
      actions={
        <Button leftSection={<IconPlus size={14} />} onClick={create}>
          {text.projects.button}
        </Button>
      }
    >
      <div className={layout.stack}>
        <DataTable
          name={text.projects.list}
          list={list}
          state={state}
          columns={columns}
          rowId={({ id }) => id}
          searches={text.projects.searches}
          empty={
            <Empty
              title={text.projects.titleNoProject}
              action={<Button onClick={create}>{text.projects.buttonCreateFirst}</Button>}
            >
              {text.projects.empty}
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
