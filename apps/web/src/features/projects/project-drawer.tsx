import { Stack, Textarea } from '@mantine/core';
import { NameField } from '../../accounts/index.ts';
import { loadSession, routes, useApi } from '../../api/index.ts';
import { recallProject, rememberProject } from '../../shell/last-project.ts';
import { EditFormBody, Facts, Loaded, sayDone, Time, UrlDrawer, useEditForm, useWrite } from '../../ui/index.ts';
import type { Project } from './project-columns.tsx';
import { texts } from './texts.tsx';

const text = texts.projectDrawer;

/** `?edit=<id>` opens name and description of a project. */
export function ProjectDrawer() {
  return (
    <UrlDrawer name="edit" title={text.drawer.title}>
      {(id, close) => <EditProject id={id} onDone={close} />}
    </UrlDrawer>
  );
}

function EditProject({ id, onDone }: { id: string; onDone: () => void }) {
  const query = useApi(routes.project.get, { params: { project_id: id } }, { topics: ['project'] });
  return (
    <Loaded query={query} what={text.editProject.what}>
      {({ body, etag }) => (
        <Stack gap="md">
          <ProjectForm project={body} etag={etag} onStale={() => query.refetch()} onDone={onDone} />
          <ProjectFacts project={body} />
        </Stack>
      )}
    </Loaded>
  );
}

const LABELS = { name: 'Name', description: text.labels.description } as const;

interface ProjectFormProps {
  readonly project: Project;
  readonly etag: string | undefined;
  readonly onStale: () => Promise<unknown>;
  readonly onDone: () => void;
}

function ProjectForm({ project, etag, onStale, onDone }: ProjectFormProps) {
  const write = useWrite();
  const form = useEditForm({
    route: routes.project.patch,
    stored: { name: project.name, description: project.description },
    refusals: { 'record.exists': { name: texts.create.taken } },
    onStale,
    send: async (changes, { name }) => {
      await write(
        routes.project.patch,
        { params: { project_id: project.id }, body: changes },
        { ...(etag !== undefined && { ifMatch: etag }), stale: [routes.project.list, routes.project.get] },
      );
      // The page header shows the last open project by name.
      if (recallProject() === project.name) rememberProject(name);
      await loadSession();
      sayDone(text.form.done);
      onDone();
    },
  });
  return (
    <EditFormBody form={form} labels={LABELS} failed={text.form.failed}>
      <NameField
        label={LABELS.name}
        description={text.form.nameHint}
        value={form.values.name}
        error={form.errorOf('name')}
        onChange={(name) => form.set('name', name)}
        isFirst
      />
      <Textarea
        label={LABELS.description}
        autosize
        minRows={3}
        maxRows={12}
        value={form.values.description ?? ''}
        error={form.errorOf('description')}
        onChange={(event) => form.set('description', event.currentTarget.value || null)}
      />
    </EditFormBody>
  );
}

function ProjectFacts({ project }: { project: Project }) {
  return (
    <Facts
      facts={[
        [text.form.members, project.member_count.toLocaleString()],
        [text.form.created, <Time key="c" at={project.created_at} />],
        [text.form.changed, <Time key="u" at={project.updated_at} />],
        [
          text.form.id,
          <span key="i" className="mono">
            {project.id}
          </span>,
        ],
      ]}
    />
  );
}
