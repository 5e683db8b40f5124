import { List } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { loadSession, routes } from '../../api/index.ts';
import { useProject, useUser } from '../../app/project.tsx';
import { ConfirmRecord, useWrite } from '../../ui/index.ts';
import type { Membership, User } from './model.ts';
import { texts } from './texts.tsx';

const text = texts.endMembership;

interface EndMembershipProps {
  readonly user: User;
  readonly membership: Membership | undefined;
  readonly onClose: () => void;
}

export function EndMembership({ user, membership, onClose }: EndMembershipProps) {
  const me = useUser();
  const project = useProject();
  const write = useWrite();
  const navigate = useNavigate();
  const isSelf = user.id === me.id;
  const end = async ({ project: projectId, project_name: name }: Membership) => {
    await write(
      routes.user.endMembership,
      { params: { user_id: user.id, project_id: projectId } },
      {
        done: text.done(user.username, name),
        stale: [routes.user.list, routes.project.list, ...(me.is_owner ? [routes.user.get] : [])],
      },
    );
    if (me.is_owner) return;
    // The viewer can no longer see the project, or an admin of it the user.
    await navigate(isSelf ? { to: '/' } : { to: '/p/$project/users', params: { project: project.name } });
    if (isSelf) await loadSession();
  };
  return (
    <ConfirmRecord
      of={membership}
      title={({ project_name: name }) => text.question(name)}
      action={text.action}
      isDangerous
      onClose={onClose}
      onConfirm={end}
    >
      {() => (
        <List spacing={4}>
          <List.Item>
            {isSelf && !me.is_owner ? <b>{text.youLoseAccess}</b> : text.losesAccess(<bdi>{user.username}</bdi>)}
          </List.Item>
          {!user.is_owner && <List.Item>{text.tokensRefused(isSelf ? 'you' : text.theUser)}</List.Item>}
          <List.Item>{text.whatWasMadeStays}</List.Item>
        </List>
      )}
    </ConfirmRecord>
  );
}
