import type { CallInput, userRoutes } from '@flotilla/contract';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, call, invalidate, routes } from '../../api/index.ts';
import { useProject, useUser } from '../../app/project.tsx';
import type { User } from './model.ts';

export interface UserChangeProps {
  readonly user: User;
  /** ETag of the user as shown. */
  readonly etag: string | undefined;
  /** Reloads the user after a change by someone else. */
  readonly onStale: () => Promise<unknown>;
  /** Called if the controller refuses the change because the viewer may not change the account, with its reason. */
  readonly onBarred: (why: string) => void;
}

/** Changes a user. Loads a concurrent change before it rethrows the refusal. */
export function useChangeUser({ user, etag, onStale, onBarred }: UserChangeProps) {
  const me = useUser();
  const project = useProject();
  const queryClient = useQueryClient();
  const target = { params: { user_id: user.id }, query: me.is_owner ? {} : { project: project.id } };
  const match = etag === undefined ? {} : { ifMatch: etag };
  const orTell = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 412) await onStale();
      if (failure instanceof ApiError && failure.code === 'user.other_projects') onBarred(failure.message);
      throw failure;
    }
  };
  return {
    patch: async (body: NonNullable<CallInput<typeof userRoutes.patch>['body']>) => {
      await orTell(call(routes.user.patch, { ...target, body }, match));
      await invalidate(queryClient, routes.user.get, routes.user.list, routes.audit.list);
    },
    /** `plan`: digest of the linked data that the dialog showed. */
    remove: async (plan: string) => {
      await orTell(call(routes.user.delete, { ...target, query: { ...target.query, plan } }, match));
    },
  };
}
