import { List } from '@mantine/core';
import { Confirm, sayDone } from '../../ui/index.ts';
import { type UserChangeProps, useChangeUser } from './change-user.ts';
import { texts } from './texts.tsx';

const text = texts.switchUser;

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
        <List spacing={4}>
          <List.Item>{text.sessionsEnd}</List.Item>
          <List.Item>{text.tokensRefused}</List.Item>
          <List.Item>{text.rolesStay}</List.Item>
        </List>
      ) : (
        text.mayAgain
      )}
    </Confirm>
  );
}
