import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call, invalidate, loadSession, routes } from '../../api/index.ts';
import { useProject, useUser } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Confirm, sayDone, useKept } from '../../ui/index.ts';
import type { Membership, User } from './model.ts';
import classes from './users.module.css';

const text = texts.users.endMembership;

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
    sayDone(text.done(user.username, membership.project_name));
    if (isSelf && !me.is_owner) {
      await navigate({ to: '/' });
      await loadSession();
      return;
    }
    // An admin of the open project no longer sees the user.
    if (!me.is_owner) await navigate({ to: '/p/$project/users', params: { project: project.name } });
    await invalidate(queryClient, routes.user.list, routes.project.list, ...(me.is_owner ? [routes.user.get] : []));
  };
  return (
    <Confirm
      opened={membership !== undefined}
      title={text.question(shown?.project_name ?? '')}
      action={text.action}
      isDangerous
      onClose={onClose}
      onConfirm={end}
    >
      <ul className={classes.bullets}>
        <li>{isSelf && !me.is_owner ? <b>{text.youLoseAccess}</b> : text.losesAccess(<bdi>{user.username}</bdi>)}</li>
        {!user.is_owner && <li>{text.tokensRefused(isSelf ? 'you' : text.theUser)}</li>}
        <li>{text.whatWasMadeStays}</li>
      </ul>
    </Confirm>
  );
}
