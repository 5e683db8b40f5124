import { texts } from '../../texts/index.ts';
import { Confirm, sayDone } from '../../ui/index.ts';
import { type UserChangeProps, useChangeUser } from './change-user.ts';
import classes from './users.module.css';

const text = texts.users.switchUser;

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
      title={`${isEnding ? text.deactivate : text.activate} ${username}?`}
      action={isEnding ? text.deactivate : text.activate}
      isDangerous={isEnding}
      onClose={onClose}
      onConfirm={async () => {
        await patch({ active: !isEnding });
        sayDone(`${username} is ${to}.`);
      }}
    >
      {isEnding ? (
        <ul className={classes.bullets}>
          <li>{text.sessionsEnd}</li>
          <li>{text.tokensRefused}</li>
          <li>{text.rolesStay}</li>
        </ul>
      ) : (
        text.mayAgain
      )}
    </Confirm>
  );
}
