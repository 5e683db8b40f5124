import type { DeletionPlan } from '@flotilla/contract';
import { Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useState } from 'react';
import { ApiError, invalidate, loadSession, questionOf, routes, useApi } from '../../api/index.ts';
import { useUrlState } from '../../app/url-state.ts';
import { ApiFormBody, FormDialog, Loaded, Notice, useApiForm, useWrite } from '../../ui/index.ts';
import { DeletionContents, RunningServices } from './deletion-contents.tsx';
import { isNameTyped } from './deletion-plan.ts';
import type { Project } from './project-columns.tsx';
import { texts } from './texts.tsx';

const text = texts.deletion;

/** `?delete=<id>`: shows everything that is deleted with a project, and deletes it after the user has typed its name. */
export function DeleteProject() {
  const url = useUrlState();
  const close = () => url.set({ delete: undefined });
  return (
    <FormDialog of={url.get('delete')} title={() => text.submit} size="lg" onClose={close}>
      {(id) => <Question key={id} id={id} onClose={close} />}
    </FormDialog>
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

/** Refusals that the reloaded plan explains by itself. */
const STALE = ['project.plan_changed', 'project.running'];

function DeleteForm({ project, plan, onStale, onClose }: DeleteFormProps) {
  const queryClient = useQueryClient();
  const write = useWrite();
  const form = useApiForm({
    route: routes.project.delete,
    initial: { typed: '' },
    send: async () => {
      const input = { params: { project_id: project.id }, query: { plan: plan.digest } };
      const stale = [routes.project.list, routes.user.list];
      try {
        await write(routes.project.delete, input, {
          ifMatch: `"${project.revision}"`,
          done: text.done(project.name),
          stale,
        });
      } catch (failure) {
        if (isStale(failure)) await onStale();
        await invalidate(queryClient, routes.project.list, routes.project.get);
        throw failure;
      }
      onClose();
      await loadSession();
    },
  });
  const before = useChangedPlan(plan, () => form.set('typed', ''));
  return (
    <ApiFormBody
      form={form}
      action={text.submit}
      failed={text.failed}
      // The reloaded plan explains such a refusal.
      explain={(error) => (isStale(error) && (before || plan.running.length > 0) ? null : undefined)}
      isDangerous
      isReady={plan.running.length === 0 && isNameTyped(form.values.typed, project.name)}
      onCancel={onClose}
    >
      <Text fw={600}>{text.title(project.name)}</Text>
      {before && (
        <Notice tone="warn" title={text.changed}>
          {text.changedText}
        </Notice>
      )}
      <RunningServices project={project.name} running={plan.running} />
      <DeletionContents plan={plan} before={before} />
      <Text>{text.kept}</Text>
      <TextInput
        label={text.typed}
        description={text.typedHint}
        placeholder={project.name}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...form.field('typed')}
      />
    </ApiFormBody>
  );
}

/** Returns the previous plan once the plan has other contents, and reports the change: the typed name confirmed only the previous one. */
function useChangedPlan(plan: DeletionPlan, onChange: () => void): DeletionPlan | undefined {
  const [seen, setSeen] = useState(plan);
  const [before, setBefore] = useState<DeletionPlan>();
  useLayoutEffect(() => {
    if (plan === seen) return;
    setSeen(plan);
    if (plan.digest === seen.digest) return;
    setBefore(seen);
    onChange();
  }, [plan, seen, onChange]);
  return before;
}

function isStale(error: unknown): boolean {
  return error instanceof ApiError && STALE.includes(error.code);
}
