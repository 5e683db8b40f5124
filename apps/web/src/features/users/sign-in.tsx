import { Button } from '@mantine/core';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useUser } from '../../app/project.tsx';
import { Section } from '../../ui/index.ts';
import type { UserChangeProps } from './change-user.ts';
import { DeleteUser } from './delete-user.tsx';
import { SetPassword } from './set-password.tsx';
import { SwitchUser } from './switch-user.tsx';
import classes from './users.module.css';

/** Whether and how the user may sign in: password, active, and the end of the account. */
export function SignIn(change: UserChangeProps) {
  const { user } = change;
  const [open, setOpen] = useState<'password' | 'switch' | 'delete'>();
  const close = () => setOpen(undefined);
  const isLastOwner = useIsLastOwner(user);
  return (
    <Section title="Signing in">
      <ul className={classes.rows} aria-label="Signing in">
        <li className={classes.row}>
          <span className={classes.grow}>
            Password <span className={classes.dim}>A new one ends all sessions of the user.</span>
          </span>
          <Button variant="default" onClick={() => setOpen('password')}>
            Set a password
          </Button>
        </li>
        <li className={classes.row}>
          <span className={classes.grow}>
            {user.active ? 'Active' : 'Deactivated'}{' '}
            <span className={classes.dim}>
              {user.active
                ? 'Deactivating shuts the user out at once, and can be undone.'
                : 'The user cannot sign in; roles and account are kept.'}
            </span>
          </span>
          <Button variant="default" disabled={isLastOwner} onClick={() => setOpen('switch')}>
            {user.active ? 'Deactivate' : 'Activate'}
          </Button>
        </li>
        <li className={classes.row}>
          <span className={classes.grow}>
            Account <span className={classes.dim}>Deleting it cannot be undone.</span>
          </span>
          <Button variant="default" disabled={isLastOwner} onClick={() => setOpen('delete')}>
            Delete
          </Button>
        </li>
      </ul>
      {isLastOwner && (
        <div className={classes.dim}>
          The last active owner of the installation can be neither deactivated nor deleted. Make another owner first.
        </div>
      )}
      <SetPassword {...change} opened={open === 'password'} onClose={close} />
      <SwitchUser {...change} opened={open === 'switch'} onClose={close} />
      <DeleteUser {...change} opened={open === 'delete'} onClose={close} />
    </Section>
  );
}

/** Asked only where it matters and may be asked. */
function useIsLastOwner(user: UserChangeProps['user']): boolean {
  const me = useUser();
  const owners = useApi(
    routes.user.list,
    { query: { is_owner: 'true', active: 'true', limit: 2 } },
    { topics: ['user'], enabled: me.is_owner && user.is_owner && user.active },
  );
  return owners.data?.body.items.every(({ id }) => id === user.id) ?? false;
}
