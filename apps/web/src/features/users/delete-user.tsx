import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { Confirm, sayDone } from '../../ui/index.ts';
import { type UserChangeProps, useChangeUser } from './change-user.ts';
import classes from './users.module.css';

interface DeleteUserProps extends UserChangeProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function DeleteUser({ opened, onClose, ...change }: DeleteUserProps) {
  const { remove } = useChangeUser(change);
  const project = useProject();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { username } = change.user;
  return (
    <Confirm
      opened={opened}
      title={`Delete ${username}?`}
      action="Delete the account"
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await remove();
        await navigate({ to: '/p/$project/users', params: { project: project.name } });
        sayDone(`${username} is deleted.`);
        void invalidate(queryClient, routes.user.list, routes.project.list, routes.apiToken.list);
      }}
    >
      <ul className={classes.bullets}>
        <li>The account, its memberships in all projects and its sessions are gone, at once and for good.</li>
        <li>API tokens that the user made are refused from now on, in every project.</li>
        <li>What the user made or changed stays, and so does the audit log.</li>
        <li>To shut somebody out for a while, deactivate the user instead.</li>
      </ul>
    </Confirm>
  );
}
