import { ActionIcon, Menu } from '@mantine/core';
import { IconUser } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { signOut } from '../api/index.ts';
import { useUser } from '../app/project.tsx';
import { sayFailed } from '../ui/index.ts';
import { texts } from './texts.tsx';

const text = texts.profileMenu;

export function ProfileMenu() {
  const user = useUser();
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon aria-label={text.accountOf(user.username)}>
          <IconUser size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <bdi>{user.username}</bdi>
        </Menu.Label>
        <Menu.Item renderRoot={(props) => <Link to="/profile" {...props} />}>{text.profile}</Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut().catch((error: unknown) => sayFailed(text.stillSignedIn, error))}>
          {text.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
