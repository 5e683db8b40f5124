import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { Confirm, Notice, Problem, sayDone } from '../../ui/index.ts';
import { COLLECTION_NOUNS } from './collections.ts';
import { nameChanged, type ReadDocument, readUsed, toDeletion, type UsedDocument } from './deletion.ts';
import { texts } from './texts.tsx';
import { UserLink } from './user-link.tsx';

const text = texts.deleteDialog;

export interface DeleteDialogProps {
  /** undefined: the dialog is closed. */
  readonly documents: readonly ReadDocument[] | undefined;
  readonly onClose: () => void;
  readonly onDeleted?: () => void;
}

const NAMES_SHOWN_MAX = 12;

/** Deletes all documents or none, and none that has changed since it was read. Names the users of documents in use. */
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
    staleTime: 0,
    retry: false,
    // The references may be removed while the dialog is open.
    meta: { topics: ['document', 'service'] },
  });
  const used = readUsed(plan.error);
  const title = keys.length === 1 ? text.question(keys[0]?.name ?? '') : text.questionMany(keys.length);
  return (
    <Confirm
      opened={documents !== undefined}
      title={title}
      action={text.action}
      isDangerous
      isReady={plan.isSuccess}
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
      {keys.length > 1 && <Names keys={keys} />}
      {used ? (
        <InUse used={used} isOnlyOne={keys.length === 1} onLeave={onClose} />
      ) : plan.isError ? (
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

function Names({ keys }: { keys: ReturnType<typeof toDeletion>['delete'] }) {
  return (
    <p className="mono" style={{ overflowWrap: 'anywhere' }}>
      {keys
        .slice(0, NAMES_SHOWN_MAX)
        .map(({ name, version }) => `${name} (${version})`)
        .join(', ')}
      {keys.length > NAMES_SHOWN_MAX && text.andMore(keys.length - NAMES_SHOWN_MAX)}
    </p>
  );
}

interface InUseProps {
  readonly used: readonly UsedDocument[];
  readonly isOnlyOne: boolean;
  /** Called when the user follows a link. */
  readonly onLeave: () => void;
}

function InUse({ used, isOnlyOne, onLeave }: InUseProps) {
  return (
    <Notice tone="warn" title={isOnlyOne ? text.inUse : text.someInUse(used.length)}>
      {used.slice(0, NAMES_SHOWN_MAX).map(({ name, version, users }) => (
        <div key={`${name} ${version}`}>
          {!isOnlyOne && <strong className="mono">{name}</strong>}
          {users.length === 0 && <div>{text.usedByHidden}</div>}
          {users.length > 0 && (
            <ul aria-label={text.usersOf(name)} style={{ margin: 0, paddingLeft: 18 }}>
              {users.slice(0, NAMES_SHOWN_MAX).map((user) => (
                <li key={user.id}>
                  {COLLECTION_NOUNS[user.collection] ?? text.otherUsers[user.collection] ?? user.collection}{' '}
                  <UserLink user={user} version={version} onFollow={onLeave} />
                </li>
              ))}
              {users.length > NAMES_SHOWN_MAX && <li>{text.andMore(users.length - NAMES_SHOWN_MAX)}</li>}
            </ul>
          )}
        </div>
      ))}
    </Notice>
  );
}
