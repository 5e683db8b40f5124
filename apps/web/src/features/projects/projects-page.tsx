import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo } from 'react';
import { routes, useApiList } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { DataTable, Empty, Page, useTableState } from '../../ui/index.ts';
import { DeleteProject } from './delete-project.tsx';
import { NewProjectDrawer } from './new-project-drawer.tsx';
import { createProjectColumns, type Project } from './project-columns.tsx';
import { ProjectDrawer } from './project-drawer.tsx';
import classes from './projects.module.css';

/** For owners of the installation. `?create=project` and `?edit=<id>` open the drawers, `?delete=<id>` the dialog. */
export function ProjectsPage() {
  const can = useCan();
  if (!can(routes.project.list))
    return (
      <Page title="Projects">
        <Empty title="Projects are kept by owners of the installation">
          The projects that you are in are in the switcher and under Profile.
        </Empty>
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
      title="Projects"
      lead="Services, clients, resources, policies and people belong to a project; nothing is shared between two."
      isWide
      actions={
        <Button leftSection={<IconPlus size={14} />} onClick={create}>
          Create a project
        </Button>
      }
    >
      <div className={classes.list}>
        <DataTable
          name="projects"
          list={list}
          state={state}
          columns={columns}
          rowId={({ id }) => id}
          searches="Name, description"
          empty={
            <Empty title="No project yet" action={<Button onClick={create}>Create the first project</Button>}>
              A project holds everything of one fleet: its hosts, proxies, policies and people.
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
