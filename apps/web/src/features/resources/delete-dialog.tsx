import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Confirm, Problem, sayDone } from '../../ui/index.ts';
import { nameChanged, type ReadDocument, toDeletion } from './deletion.ts';

const text = texts.resources.deleteDialog;

export interface DeleteDialogProps {
  /** Undefined: closed. */
  readonly documents: readonly ReadDocument[] | undefined;
  readonly onClose: () => void;
  readonly onDeleted?: () => void;
}

const NAMES_SHOWN_MAX = 12;

/** All or none are deleted, and none that has changed since it was read; what is still used says by whom. */
export function DeleteDialog({ documents, onClose, onDeleted }: DeleteDialogProps) {
  const project = useProject();
  const client = useQueryClient();
  const body = toDeletion(project.id, documents ?? []);
  const keys = body.delete;
  const plan = useQuery({
    queryKey: ['delete-plan', body],
    queryFn: async () => (await call(routes.document.apply, { query: { dry_run: 'true' }, body })).body,
    enabled: keys.length > 0,
    gcTime: 0,
    retry: false,
  });
  const title = keys.length === 1 ? text.question(keys[0]?.name ?? '') : text.questionMany(keys.length);
  return (
    <Confirm
      opened={documents !== undefined}
      title={title}
      action={text.action}
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        try {
          await call(routes.document.apply, { query: {}, body });
        } catch (error) {
          throw nameChanged(error);
        } finally {
          await invalidate(client, routes.xds.list);
        }
        sayDone(keys.length === 1 ? text.done(keys[0]?.name ?? '') : text.doneMany(keys.length));
        onDeleted?.();
      }}
    >
      {keys.length > 1 && (
        <p className="mono" style={{ overflowWrap: 'anywhere' }}>
          {keys
            .slice(0, NAMES_SHOWN_MAX)
            .map(({ name, version }) => `${name} (${version})`)
            .join(', ')}
          {keys.length > NAMES_SHOWN_MAX && text.andMore(keys.length - NAMES_SHOWN_MAX)}
        </p>
      )}
      {plan.isError ? (
        <Problem error={nameChanged(plan.error)} what={text.refused} />
      ) : (
        <p>
          {plan.data?.nodes === undefined
            ? text.looking
            : plan.data.nodes.length === 0
              ? text.reachesNone(keys.length)
              : text.takenFrom(keys.length, plan.data.nodes.length)}
        </p>
      )}
    </Confirm>
  );
}
