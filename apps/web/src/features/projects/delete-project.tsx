import type { DeletionPlan } from '@flotilla/contract';
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, call, invalidate, loadSession, questionOf, routes, useApi } from '../../api/index.ts';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Loaded, Notice, Problem, sayDone, useKept, useSending } from '../../ui/index.ts';
import { DeletionContents, RunningServices } from './deletion-contents.tsx';
import { isNameTyped } from './deletion-plan.ts';
import type { Project } from './project-columns.tsx';
import classes from './projects.module.css';

const text = texts.projects.deletion;

/** `?delete=<id>`: shows everything that goes with a project, and deletes it once its name is typed. */
export function DeleteProject() {
  const url = useUrlState();
  const id = url.get('delete');
  const shown = useKept(id);
  const close = () => url.set({ delete: undefined });
  return (
    <Modal
      opened={id !== undefined}
      onClose={close}
      size="lg"
      title={text.submit}
      closeButtonProps={{ 'aria-label': text.close }}
    >
      {shown !== undefined && <Question key={shown} id={shown} onClose={close} />}
    </Modal>
  );
}

function Question({ id, onClose }: { id: string; onClose: () => void }) {
  const params = { project_id: id };
  const project = useApi(routes.project.get, { params }, { topics: ['project'] });
  // The plan must be current, so it is not cached beyond the dialog.
  const plan = useQuery({ ...questionOf(routes.project.planDeletion, { params }), staleTime: 0, gcTime: 0 });
  return (
    <Loaded query={project} what={text.what} missing={text.missing}>
      {({ body }) => (
        <Loaded query={plan} what={text.what} missing={text.missing}>
          {(answer) => (
            <DeleteForm project={body} plan={answer.body} onStale={() => plan.refetch()} onClose={onClose} />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

interface DeleteFormProps {
  readonly project: Project;
  readonly plan: DeletionPlan;
  /** Resolves when the plan is reloaded. */
  readonly onStale: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Refusals that a new plan explains by itself. */
const STALE = ['project.plan_changed', 'project.running'];

function DeleteForm({ project, plan, onStale, onClose }: DeleteFormProps) {
  const queryClient = useQueryClient();
  const sending = useSending();
  const [typed, setTyped] = useState('');
  const [seen, setSeen] = useState(plan);
  const [before, setBefore] = useState<DeletionPlan>();
  if (plan !== seen) {
    setSeen(plan);
    // The typed name confirmed the plan that was shown.
    if (plan.digest !== seen.digest) {
      setBefore(seen);
      setTyped('');
    }
  }
  const remove = async () => {
    try {
      const input = { params: { project_id: project.id }, query: { plan: plan.digest } };
      await call(routes.project.delete, input, { ifMatch: `"${project.revision}"` });
    } catch (failure) {
      if (failure instanceof ApiError && STALE.includes(failure.code)) await onStale();
      await invalidate(queryClient, routes.project.list, routes.project.get);
      throw failure;
    }
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!(await sending.send(remove))) return;
    onClose();
    sayDone(text.done(project.name));
    await loadSession();
    await invalidate(queryClient, routes.project.list, routes.user.list);
  };
  const { error } = sending;
  const isExplained = error instanceof ApiError && STALE.includes(error.code);
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <div className={classes.question}>{text.title(project.name)}</div>
        {before && (
          <Notice tone="warn" title={text.changed}>
            {text.changedText}
          </Notice>
        )}
        <RunningServices project={project.name} running={plan.running} />
        <DeletionContents plan={plan} before={before} />
        <p className={classes.line}>{text.kept}</p>
        <TextInput
          label={text.typed}
          description={text.typedHint}
          placeholder={project.name}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {error !== undefined && !(isExplained && (before || plan.running.length > 0)) && (
          <Problem error={error} what={text.failed} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button
            type="submit"
            color="red.9"
            loading={sending.isBusy}
            disabled={plan.running.length > 0 || !isNameTyped(typed, project.name)}
          >
            {text.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
