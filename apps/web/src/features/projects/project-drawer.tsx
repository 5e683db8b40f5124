import { Button, Drawer, Stack, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { DESCRIPTION_MAX, explainName, judgeName, NameField } from '../../accounts/index.ts';
import { ApiError, call, invalidate, loadSession, routes, useApi } from '../../api/index.ts';
import { useUrlState } from '../../app/url-state.ts';
import { recallProject, rememberProject } from '../../shell/last-project.ts';
import { texts } from '../../texts/index.ts';
import {
  Facts,
  FieldClashes,
  Loaded,
  Notice,
  Problem,
  sayDone,
  Time,
  useFieldEdits,
  useSending,
} from '../../ui/index.ts';
import type { Project } from './project-columns.tsx';

const text = texts.projects.projectDrawer;

/** `?edit=<id>`: name and description of a project. */
export function ProjectDrawer() {
  const url = useUrlState();
  const id = url.get('edit');
  return (
    <Drawer opened={id !== undefined} onClose={() => url.set({ edit: undefined })} title={text.drawer.title}>
      {id !== undefined && <EditProject key={id} id={id} onDone={() => url.set({ edit: undefined })} />}
    </Drawer>
  );
}

function EditProject({ id, onDone }: { id: string; onDone: () => void }) {
  const query = useApi(routes.project.get, { params: { project_id: id } }, { topics: ['project'] });
  return (
    <Loaded query={query} what={text.editProject.what}>
      {({ body, etag }) => <ProjectForm project={body} etag={etag} onStale={() => query.refetch()} onDone={onDone} />}
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
  const queryClient = useQueryClient();
  const sending = useSending();
  const edits = useFieldEdits({ name: project.name, description: project.description });
  const { values } = edits;
  const set: typeof edits.set = (field, value) => {
    sending.clear();
    edits.set(field, value);
  };
  const { error } = sending;
  const isStale = error instanceof ApiError && error.status === 412;
  const nameError = explainName(values.name, error, { taken: texts.projects.create.taken });
  const save = async () => {
    try {
      const input = { params: { project_id: project.id }, body: edits.changes };
      await call(routes.project.patch, input, etag === undefined ? {} : { ifMatch: etag });
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 412) await onStale();
      throw failure;
    }
    // The frame around this page shows the last open project by name.
    if (recallProject() === project.name) rememberProject(values.name);
    await loadSession();
    await invalidate(queryClient, routes.project.list, routes.project.get);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!(await sending.send(save))) return;
    sayDone(text.form.done);
    onDone();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <NameField
          label={LABELS.name}
          description={text.form.nameHint}
          value={values.name}
          error={nameError}
          onChange={(name) => set('name', name)}
          isFirst
        />
        <Textarea
          label={LABELS.description}
          autosize
          minRows={3}
          maxRows={12}
          maxLength={DESCRIPTION_MAX}
          value={values.description ?? ''}
          onChange={(event) => set('description', event.currentTarget.value || null)}
        />
        <FieldClashes
          clashes={edits.clashes}
          labels={LABELS}
          onTakeTheirs={edits.takeTheirs}
          onKeepMine={() => {
            sending.clear();
            edits.keepMine();
          }}
        />
        {isStale && edits.clashes.length === 0 && (
          <Notice tone="warn" title={text.form.changedMeanwhile}>
            {text.form.changedMeanwhileText}
          </Notice>
        )}
        {error !== undefined && !isStale && nameError === undefined && (
          <Problem error={error} what={text.form.failed} />
        )}
        <div>
          <Button
            type="submit"
            loading={sending.isBusy}
            disabled={!edits.isChanged || edits.clashes.length > 0 || judgeName(values.name) !== undefined}
          >
            {text.form.save}
          </Button>
        </div>
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
      </Stack>
    </form>
  );
}
