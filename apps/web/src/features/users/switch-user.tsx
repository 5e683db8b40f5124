import { Confirm, sayDone } from '../../ui/index.ts';
import { type UserChangeProps, useChangeUser } from './change-user.ts';
import classes from './users.module.css';

interface SwitchUserProps extends UserChangeProps {
  readonly to: 'active' | 'deactivated';
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function SwitchUser({ to, opened, onClose, ...change }: SwitchUserProps) {
  const { patch } = useChangeUser(change);
  const { username } = change.user;
  const isEnding = to === 'deactivated';
  return (
    <Confirm
      opened={opened}
      title={`${isEnding ? 'Deactivate' : 'Activate'} ${username}?`}
      action={isEnding ? 'Deactivate' : 'Activate'}
      isDangerous={isEnding}
      onClose={onClose}
      onConfirm={async () => {
        await patch({ active: !isEnding });
        sayDone(`${username} is ${to}.`);
      }}
    >
      {isEnding ? (
        <ul className={classes.bullets}>
          <li>All sessions of the user end at once; nobody can sign in with the account.</li>
          <li>API tokens that the user made are refused, in every project, until the user is active again.</li>
          <li>Roles and everything that was made stay.</li>
        </ul>
      ) : (
        'The user may sign in again with the password and the roles of before; API tokens that the user made work again.'
      )}
    </Confirm>
  );
}
