import { Modal, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ApiError, call, routes } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { beforeRevision, RecordReview } from '../../../changes/index.ts';
import { Notice, Problem, useSending, useWrite } from '../../../ui/index.ts';
import { texts as uiTexts } from '../../../ui/texts.tsx';
import { toDraft } from '../editing/draft.ts';
import type { WholeService } from '../types.ts';
import { useServiceChange } from './service-changes.tsx';
import { texts } from './texts.tsx';

const text = texts.restoreDialog;

interface RestoreDialogProps {
  readonly service: WholeService;
  readonly revision: number;
  readonly onClose: () => void;
}

/**
 * Shows the changes of a restore and the affected nodes, then restores exactly that revision. Reports if the service has changed in the
 * meantime.
 */
export function RestoreDialog({ service, revision, onClose }: RestoreDialogProps) {
  const restoring = useRestore({ service, revision, onClose });
  const { plan } = restoring;
  return (
    <Modal opened onClose={onClose} title={text.title(revision)} size="min(1080px, 96vw)">
      {plan.isPending && <Skeleton height={160} aria-busy="true" />}
      {plan.isError && <Problem error={plan.error} what={text.refused} onRetry={() => void plan.refetch()} />}
      {plan.data && <Restore {...plan.data} restoring={restoring} onClose={onClose} />}
    </Modal>
  );
}

interface RestoreProps extends Pick<RestoreDialogProps, 'onClose'> {
  readonly restoring: ReturnType<typeof useRestore>;
  readonly before: WholeService;
  readonly after: WholeService;
}

function Restore({ restoring: { plan, sending, restore }, before, after, onClose }: RestoreProps) {
  const { error } = sending;
  const isStale = error instanceof ApiError && error.status === 412;
  const { diff = [], nodes = [] } = after;
  const drafts = useMemo(() => ({ before: toDraft(before), after: toDraft(after) }), [before, after]);
  const change = useServiceChange({ ...drafts, beforeLabel: beforeRevision(before.revision), diff });
  return (
    <RecordReview
      plan={{ change, reach: diff.length > 0 ? { nodes, services: [before] } : undefined, warnings: [] }}
      action={text.restore}
      isBusy={sending.isBusy}
      isDisabled={plan.isFetching || isStale}
      onApply={() => void restore()}
      onBack={onClose}
      back={uiTexts.confirm.cancel}
    >
      {diff.length === 0 && (
        <Notice tone="quiet" title={text.alreadyLikeThat}>
          {text.onlyAddsRevision}
        </Notice>
      )}
      {error !== undefined && (
        <Problem
          error={error}
          what={isStale ? text.changedMeanwhile : text.failed}
          {...(isStale && {
            onRetry: () => {
              sending.clear();
              void plan.refetch();
            },
          })}
        />
      )}
    </RecordReview>
  );
}

function useRestore({ service, revision, onClose }: RestoreDialogProps) {
  const project = useProject();
  const url = useUrlState();
  const write = useWrite();
  const sending = useSending();
  const key = { params: { service_id: service.id }, query: { project: project.id } };
  const plan = useQuery({
    queryKey: ['restore-plan', service.id, revision],
    retry: false,
    staleTime: 0,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const { body: before, etag } = await call(routes.service.read, key, { signal });
      const asked = { ...key, query: { ...key.query, dry_run: 'true' as const }, body: { revision } };
      const { body: after } = await call(routes.service.restore, asked, {
        signal,
        ...(etag !== undefined && { ifMatch: etag }),
      });
      return { before, after, etag };
    },
  });
  const restore = () =>
    sending.send(async () => {
      const etag = plan.data?.etag;
      const { body } = await write(
        routes.service.restore,
        { ...key, body: { revision } },
        {
          ...(etag !== undefined && { ifMatch: etag }),
          done: (stored) => text.done(revision, stored.revision),
          stale: [routes.service.detail, routes.service.revisions, routes.service.list],
        },
      );
      url.set({ rev: undefined, with: undefined, rollout: String(body.revision) });
      onClose();
    });
  return { plan, sending, restore };
}
