import { Button, Group, Modal, Skeleton, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, invalidate, routes } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { texts } from '../../../texts/index.ts';
import { Notice, Problem, sayDone } from '../../../ui/index.ts';
import type { WholeService } from '../types.ts';
import { ChangeList } from './change-list.tsx';
import { Reached } from './reached.tsx';

const text = texts.services.document.restoreDialog;

interface RestoreDialogProps {
  readonly service: WholeService;
  readonly revision: number;
  readonly onClose: () => void;
}

/**
 * Shows the changes of a restore and the affected nodes, then restores exactly that, or says that the service has
 * changed.
 */
export function RestoreDialog({ service, revision, onClose }: RestoreDialogProps) {
  const project = useProject();
  const url = useUrlState();
  const queryClient = useQueryClient();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const plan = useQuery({
    queryKey: ['restore-plan', service.id, revision],
    retry: false,
    staleTime: 0,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const key = { params: { service_id: service.id }, query: { project: project.id } };
      const { etag } = await call(routes.service.read, key, { signal });
      const asked = { ...key, query: { ...key.query, dry_run: 'true' as const }, body: { revision } };
      const { body } = await call(routes.service.restore, asked, {
        signal,
        ...(etag !== undefined && { ifMatch: etag }),
      });
      return { body, etag };
    },
  });
  const restore = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const etag = plan.data?.etag;
      const { body } = await call(
        routes.service.restore,
        { params: { service_id: service.id }, query: { project: project.id }, body: { revision } },
        etag === undefined ? {} : { ifMatch: etag },
      );
      await invalidate(queryClient, routes.service.detail, routes.service.revisions, routes.service.list);
      sayDone(text.done(revision, body.revision));
      url.set({ rev: undefined, with: undefined, rollout: String(body.revision) });
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const isStale = error instanceof ApiError && error.status === 412;
  const changes = plan.data?.body.diff ?? [];
  return (
    <Modal opened onClose={onClose} title={text.title(revision)} size="xl">
      <Stack gap="md">
        {plan.isPending && <Skeleton height={160} aria-busy="true" />}
        {plan.isError && <Problem error={plan.error} what={text.refused} onRetry={() => void plan.refetch()} />}
        {plan.data && (
          <>
            <ChangeList changes={changes} label={text.changes} />
            {changes.length > 0 && <Reached nodeIds={plan.data.body.nodes ?? []} service={service} />}
            {changes.length === 0 && (
              <Notice tone="quiet" title={text.alreadyLikeThat}>
                {text.onlyAddsRevision}
              </Notice>
            )}
          </>
        )}
        {error !== undefined && (
          <Problem
            error={error}
            what={isStale ? text.changedMeanwhile : text.failed}
            {...(isStale && {
              onRetry: () => {
                setError(undefined);
                void plan.refetch();
              },
            })}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {texts.ui.confirm.cancel}
          </Button>
          <Button loading={isBusy} disabled={!plan.data || plan.isFetching || isStale} onClick={() => void restore()}>
            {text.restore}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
