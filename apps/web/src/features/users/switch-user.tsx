import { Confirm, sayDone } from '../../ui/index.ts';
import { type UserChangeProps, useChangeUser } from './change-user.ts';
import classes from './users.module.css';

interface SwitchUserProps extends UserChangeProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Deactivates an active user, activates a deactivated one. */
export function SwitchUser({ opened, onClose, ...change }: SwitchUserProps) {
  const { patch } = useChangeUser(change);
  const { username, active } = change.user;
  return (
    <Confirm
      opened={opened}
      title={`${active ? 'Deactivate' : 'Activate'} ${username}?`}
      action={active ? 'Deactivate' : 'Activate'}
      isDangerous={active}
      onClose={onClose}
      onConfirm={async () => {
        await patch({ active: !active });
        sayDone(`${username} is ${active ? 'deactivated' : 'active'}.`);
      }}
    >
      {active ? (
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
