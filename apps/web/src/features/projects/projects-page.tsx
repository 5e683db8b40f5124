import { useMemo } from 'react';
import { routes } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Empty, ListPage, Page } from '../../ui/index.ts';
import { DeleteProject } from './delete-project.tsx';
import { NewProjectDrawer } from './new-project-drawer.tsx';
import { createProjectColumns, type Project } from './project-columns.tsx';
import { ProjectDrawer } from './project-drawer.tsx';
import { texts } from './texts.tsx';

const text = texts.projectsPage;

/** For owners of the installation. `?create=project` and `?edit=<id>` open the drawers, `?delete=<id>` the dialog. */
export function ProjectsPage() {
  const can = useCan();
  const { set } = useUrlState();
  const columns = useMemo(
    () =>
      createProjectColumns({
        onEdit: ({ id }) => set({ edit: id }, 'push'),
        onDelete: ({ id }) => set({ delete: id }, 'push'),
      }),
    [set],
  );
  if (!can(routes.project.list))
    return (
      <Page title={text.page.title}>
        <Empty title={text.page.keptByOwners}>{text.page.whereYoursAre}</Empty>
      </Page>
    );
  return (
    <ListPage<Project>
      words={text.list}
      route={routes.project.list}
      isInstallation
      topics={['project', 'user']}
      columns={columns}
      create={{ route: routes.project.create, opens: { create: 'project' } }}
    >
      <NewProjectDrawer />
      <ProjectDrawer />
      <DeleteProject />
    </ListPage>
  );
}
