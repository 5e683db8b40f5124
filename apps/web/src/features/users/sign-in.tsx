import { Button } from '@mantine/core';
import { useState } from 'react';
import { Section } from '../../ui/index.ts';
import type { UserChangeProps } from './change-user.ts';
import { DeleteUser } from './delete-user.tsx';
import { SecondChance } from './second-chance.tsx';
import { SetPassword } from './set-password.tsx';
import { SwitchUser } from './switch-user.tsx';
import classes from './users.module.css';

/** Whether and how somebody else may sign in: password, active, and the end of the account. */
export function SignIn(change: UserChangeProps) {
  const { user } = change;
  const [open, setOpen] = useState<'password' | 'activate' | 'deactivate' | 'delete'>();
  const close = () => setOpen(undefined);
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
        <SecondChance user={user} />
        <li className={classes.row}>
          <span className={classes.grow}>
            {user.active ? 'Active' : 'Deactivated'}{' '}
            <span className={classes.dim}>
              {user.active
                ? 'Deactivating shuts the user out at once, and can be undone.'
                : 'The user cannot sign in; roles and account are kept.'}
            </span>
          </span>
          <Button variant="default" onClick={() => setOpen(user.active ? 'deactivate' : 'activate')}>
            {user.active ? 'Deactivate' : 'Activate'}
          </Button>
        </li>
        <li className={classes.row}>
          <span className={classes.grow}>
            Account <span className={classes.dim}>Deleting it cannot be undone.</span>
          </span>
          <Button variant="default" onClick={() => setOpen('delete')}>
            Delete
          </Button>
        </li>
      </ul>
      <SetPassword {...change} opened={open === 'password'} onClose={close} />
      <SwitchUser {...change} to="deactivated" opened={open === 'deactivate'} onClose={close} />
      <SwitchUser {...change} to="active" opened={open === 'activate'} onClose={close} />
      <DeleteUser {...change} opened={open === 'delete'} onClose={close} />
    </Section>
  );
}
