import type { UserDeletion } from '@flotilla/contract';
import { List, Text } from '@mantine/core';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ApiError, invalidate, questionOf, routes } from '../../api/index.ts';
import { useProject, useUser } from '../../app/project.tsx';
import { Confirm, Loaded, sayDone } from '../../ui/index.ts';
import { type UserChangeProps, useChangeUser } from './change-user.ts';
import { texts } from './texts.tsx';

const words = texts.deleteUser;

const text = texts.deletion;

interface DeleteUserProps extends UserChangeProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function DeleteUser({ opened, onClose, ...change }: DeleteUserProps) {
  const { remove } = useChangeUser(change);
  const me = useUser();
  const project = useProject();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { id, username } = change.user;
  const question = questionOf(routes.user.planDeletion, {
    params: { user_id: id },
    query: me.is_owner ? {} : { project: project.id },
  });
  // The plan must be current, so it is not cached beyond the dialog.
  const plan = useQuery({ ...question, staleTime: 0, gcTime: 0, enabled: opened });
  const digest = plan.data?.body.digest;
  const confirm = async () => {
    if (digest === undefined) return;
    try {
      await remove(digest);
    } catch (failure) {
      if (failure instanceof ApiError && failure.code === 'user.plan_changed') await plan.refetch();
      throw failure;
    }
    await navigate({ to: '/p/$project/users', params: { project: project.name } });
    sayDone(words.done(username));
    void invalidate(queryClient, routes.user.list, routes.project.list, routes.apiToken.list);
  };
  return (
    <Confirm
      opened={opened}
      title={words.question(username)}
      action={words.action}
      isDangerous
      isReady={digest !== undefined}
      onClose={onClose}
      onConfirm={confirm}
    >
      {opened && <WhatGoes plan={plan} />}
    </Confirm>
  );
}

/** Shows what is deleted with the account, as the controller counts it now. */
function WhatGoes({ plan }: { plan: UseQueryResult<{ body: UserDeletion }> }) {
  return (
    <>
      <Loaded query={plan} what={text.what}>
        {({ body: { items } }) => (
          <>
            {items.length === 0 && <Text mb="xs">{text.nothing}</Text>}
            <Parts intro={text.gone} parts={items.filter(({ fate }) => fate === 'deleted')} />
            <Parts intro={text.ends} parts={items.filter(({ fate }) => fate === 'ended')} />
          </>
        )}
      </Loaded>
      <Text mt="xs">
        {text.stays} {text.instead}
      </Text>
    </>
  );
}

function Parts({ intro, parts }: { intro: string; parts: UserDeletion['items'] }) {
  if (parts.length === 0) return null;
  return (
    <>
      <Text mb="xs">{intro}</Text>
      <List spacing={4}>
        {parts.map(({ kind, count, examples }) => (
          <List.Item key={kind}>
            {count.toLocaleString('en')} {text.kinds[kind]}
            {examples.length > 0 && ': '}
            <bdi>{examples.join(', ')}</bdi>
            {count > examples.length && examples.length > 0 && ` ${text.more(count - examples.length)}`}
          </List.Item>
        ))}
      </List>
    </>
  );
}
