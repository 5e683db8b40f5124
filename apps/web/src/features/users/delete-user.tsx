import type { UserDeletion } from '@flotilla/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { invalidate, routes, useApi } from '../../api/index.ts';
import { useProject, useUser } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Confirm, Loaded, sayDone } from '../../ui/index.ts';
import { type UserChangeProps, useChangeUser } from './change-user.ts';
import type { User } from './model.ts';
import classes from './users.module.css';

const words = texts.users.deleteUser;

const text = texts.users.deletion;

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
      title={words.question(username)}
      action={words.action}
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await remove();
        await navigate({ to: '/p/$project/users', params: { project: project.name } });
        sayDone(words.done(username));
        void invalidate(queryClient, routes.user.list, routes.project.list, routes.apiToken.list);
      }}
    >
      {opened && <WhatGoes user={change.user} />}
    </Confirm>
  );
}

/** As the controller counts it now. */
function WhatGoes({ user }: { user: User }) {
  const me = useUser();
  const project = useProject();
  const found = useApi(routes.user.planDeletion, {
    params: { user_id: user.id },
    query: me.is_owner ? {} : { project: project.id },
  });
  return (
    <>
      <Loaded query={found} what={text.what}>
        {({ body: { items } }) => (
          <>
            {items.length === 0 && <p className={classes.plain}>{text.nothing}</p>}
            <Parts intro={text.gone} parts={items.filter(({ fate }) => fate === 'deleted')} />
            <Parts intro={text.ends} parts={items.filter(({ fate }) => fate === 'ended')} />
          </>
        )}
      </Loaded>
      <p className={classes.plain}>
        {text.stays} {text.instead}
      </p>
    </>
  );
}

function Parts({ intro, parts }: { intro: string; parts: UserDeletion['items'] }) {
  if (parts.length === 0) return null;
  return (
    <>
      <p className={classes.plain}>{intro}</p>
      <ul className={classes.bullets}>
        {parts.map(({ kind, count, examples }) => (
          <li key={kind}>
            {count.toLocaleString('en')} {text.kinds[kind]}
            {examples.length > 0 && ': '}
            <bdi>{examples.join(', ')}</bdi>
            {count > examples.length && examples.length > 0 && ` ${text.more(count - examples.length)}`}
          </li>
        ))}
      </ul>
    </>
  );
}
