import type { PublishResult } from '@flotilla/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useDraft } from '../../changes/index.ts';
import { useSending } from '../../ui/index.ts';
import { checkDraft, type DraftErrors, EMPTY_DRAFT, fieldOf, type PublishDraft, toBody } from './draft.ts';
import { type PublishRecord, readRecords } from './publish-records.ts';

interface PublishPlan {
  readonly result: PublishResult;
  readonly records: readonly PublishRecord[];
}

/** Form, then plan, then published. A change of the form drops the plan. */
export function usePublish() {
  const project = useProject();
  const queryClient = useQueryClient();
  const kept = useDraft<PublishDraft>(`publish ${project.id}`);
  const draft = kept.value ?? EMPTY_DRAFT;
  const sending = useSending();
  const [isSubmitted, setSubmitted] = useState(false);
  const [plan, setPlan] = useState<PublishPlan>();
  const [published, setPublished] = useState<{ published: PublishResult; hosts: readonly string[] }>();

  const send = async (dryRun: boolean) => {
    const query = { project: project.id, ...(dryRun && { dry_run: 'true' as const }) };
    return (await call(routes.publish.publish, { query, body: toBody(draft) })).body;
  };
  return {
    draft,
    plan,
    published,
    isBusy: sending.isBusy,
    problem: sending.error,
    /** Errors of the filled-in fields at once, of missing ones after the first attempt, and those of the controller. */
    errors: { ...toErrors(sending.error), ...checkDraft(draft, { isWhole: isSubmitted }) },
    change(change: Partial<PublishDraft>) {
      kept.set({ ...draft, ...change });
      sending.clear();
      setPlan(undefined);
    },
    /** Resolves with whether there is a plan. */
    async review(): Promise<boolean> {
      setSubmitted(true);
      if (Object.keys(checkDraft(draft, { isWhole: true })).length > 0) return false;
      return sending.send(async () => {
        const result = await send(true);
        setPlan({ result, records: await readRecords(result, project.id) });
      });
    },
    async publish(): Promise<boolean> {
      return sending.send(async () => {
        setPublished({ published: await send(false), hosts: draft.hosts });
        kept.clear();
        setPlan(undefined);
        await invalidate(queryClient, routes.service.list, routes.fleet.services, routes.overview.read);
      });
    },
    restart() {
      sending.clear();
      setSubmitted(false);
      setPlan(undefined);
      setPublished(undefined);
    },
  };
}

export type Publishing = ReturnType<typeof usePublish>;

function toErrors(error: unknown): DraftErrors {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    error.details.flatMap(({ path, message }) => {
      const field = fieldOf(path);
      return field === undefined ? [] : [[field, message]];
    }),
  );
}
