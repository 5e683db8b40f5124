import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call, invalidate, loadSession, routes } from '../../api/index.ts';
import { useProject, useUser } from '../../app/project.tsx';
import { Confirm, sayDone, useKept } from '../../ui/index.ts';
import type { Membership } from './memberships.tsx';
import type { User } from './model.ts';
import classes from './users.module.css';

interface EndMembershipProps {
  readonly user: User;
  readonly membership: Membership | undefined;
  readonly onClose: () => void;
}

export function EndMembership({ user, membership, onClose }: EndMembershipProps) {
  const me = useUser();
  const project = useProject();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const isSelf = user.id === me.id;
  const shown = useKept(membership);
  const end = async () => {
    if (!membership) return;
    await call(routes.user.endMembership, { params: { user_id: user.id, project_id: membership.project } });
    sayDone(`${user.username} is no longer a member of ${membership.project_name}.`);
    if (isSelf && !me.is_owner) {
      await navigate({ to: '/' });
      await loadSession();
      return;
    }
    // Who sees only members of the open project does not see the user any more.
    if (!me.is_owner) await navigate({ to: '/p/$project/users', params: { project: project.name } });
    await invalidate(queryClient, routes.user.list, routes.project.list, ...(me.is_owner ? [routes.user.get] : []));
  };
  return (
    <Confirm
      opened={membership !== undefined}
      title={`End the membership in ${shown?.project_name ?? ''}?`}
      action="End the membership"
      isDangerous
      onClose={onClose}
      onConfirm={end}
    >
      <ul className={classes.bullets}>
        <li>
          {isSelf && !me.is_owner ? (
            <b>You lose access to the project with the next click.</b>
          ) : (
            <>
              <bdi>{user.username}</bdi> loses access to the project at once. The account stays.
            </>
          )}
        </li>
        {!user.is_owner && (
          <li>API tokens of this project that {isSelf ? 'you' : 'the user'} made are refused from now on.</li>
        )}
        <li>What was made or changed stays as it is.</li>
      </ul>
    </Confirm>
  );
}
