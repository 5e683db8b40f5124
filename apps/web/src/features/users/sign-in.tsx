import { Button } from '@mantine/core';
import { useState } from 'react';
import { Section } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';
import type { UserChangeProps } from './change-user.ts';
import { DeleteUser } from './delete-user.tsx';
import { SecondChance } from './second-chance.tsx';
import { SetPassword } from './set-password.tsx';
import { SwitchUser } from './switch-user.tsx';
import { texts } from './texts.tsx';

const text = texts.signIn;

/** Edits the sign-in of another user: password, active, and deletion of the account. */
export function SignIn(change: UserChangeProps) {
  const { user } = change;
  const [open, setOpen] = useState<'password' | 'activate' | 'deactivate' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <Section title={text.title}>
      <ul className={lines.rows} aria-label={text.title}>
        <li className={lines.row}>
          <span className={lines.grow}>{text.password(<span className={lines.hint}>{text.endsSessions}</span>)}</span>
          <Button variant="default" onClick={() => setOpen('password')}>
            {text.setPassword}
          </Button>
        </li>
        <SecondChance user={user} />
        <li className={lines.row}>
          <span className={lines.grow}>
            {user.active ? text.active : text.deactivated}{' '}
            <span className={lines.hint}>{user.active ? text.deactivateHint : text.activateHint}</span>
          </span>
          <Button variant="default" onClick={() => setOpen(user.active ? 'deactivate' : 'activate')}>
            {user.active ? text.deactivate : text.activate}
          </Button>
        </li>
        <li className={lines.row}>
          <span className={lines.grow}>{text.account(<span className={lines.hint}>{text.deleteHint}</span>)}</span>
          <Button variant="default" onClick={() => setOpen('delete')}>
            {text.delete}
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
