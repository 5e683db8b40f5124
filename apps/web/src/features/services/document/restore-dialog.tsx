import { Button, Group, Modal, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ApiError, call, routes } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Notice, Problem, useSending, useWrite } from '../../../ui/index.ts';
import { texts as uiTexts } from '../../../ui/texts.tsx';
import type { WholeService } from '../types.ts';
import { ChangeList } from './change-list.tsx';
import { Reached } from './reached.tsx';
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
  const { plan, sending, restore } = useRestore({ service, revision, onClose });
  const { error } = sending;
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
                sending.clear();
                void plan.refetch();
              },
            })}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {uiTexts.confirm.cancel}
          </Button>
          <Button
            loading={sending.isBusy}
            disabled={!plan.data || plan.isFetching || isStale}
            onClick={() => void restore()}
          >
            {text.restore}
          </Button>
        </Group>
      </Stack>
    </Modal>
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
      const { etag } = await call(routes.service.read, key, { signal });
      const asked = { ...key, query: { ...key.query, dry_run: 'true' as const }, body: { revision } };
      const { body } = await call(routes.service.restore, asked, {
        signal,
        ...(etag !== undefined && { ifMatch: etag }),
      });
      return { body, etag };
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
