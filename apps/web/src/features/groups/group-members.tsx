import type { GroupView } from '@flotilla/contract';
import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Loaded, Problem, sayDone, useSending } from '../../ui/index.ts';
import classes from './groups.module.css';

const text = texts.groups.members;
const LIMIT = 1000;

/** Who is in a group, and the way in and out. */
export function GroupMembers({ group }: { group: GroupView }) {
  const project = useProject();
  const can = useCan();
  const queryClient = useQueryClient();
  const sending = useSending();
  const found = useApi(
    routes.group.listMembers,
    { params: { group_id: group.id }, query: { project: project.id, limit: LIMIT } },
    { topics: ['group', 'user'], keepPrevious: true },
  );
  const change = async (user: { id: string; username: string }, isIn: boolean) => {
    const input = { params: { group_id: group.id, user_id: user.id }, query: { project: project.id } };
    const isDone = await sending.send(() => call(isIn ? routes.group.putMember : routes.group.deleteMember, input));
    if (!isDone) return;
    sayDone(isIn ? text.added(user.username, group.name) : text.removed(user.username, group.name));
    await invalidate(queryClient, routes.group.listMembers, routes.group.get, routes.group.list);
  };
  return (
    <Loaded query={found} what={text.what}>
      {({ body: { items } }) => (
        <Stack gap="sm">
          {items.length === 0 && <Text>{text.none}</Text>}
          <ul className={classes.members}>
            {items.map(({ user_id: id, username }) => (
              <li key={id}>
                <bdi>{username}</bdi>
                {can(routes.group.deleteMember) && (
                  <Button
                    variant="subtle"
                    size="compact-sm"
                    aria-label={text.remove(username)}
                    disabled={sending.isBusy}
                    onClick={() => void change({ id, username }, false)}
                  >
                    {text.removeAction}
                  </Button>
                )}
              </li>
            ))}
          </ul>
          {can(routes.group.putMember) && (
            <AddMember
              present={items.map(({ user_id: id }) => id)}
              isBusy={sending.isBusy}
              onAdd={(user) => change(user, true)}
            />
          )}
          {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
        </Stack>
      )}
    </Loaded>
  );
}

interface AddMemberProps {
  readonly present: readonly string[];
  readonly isBusy: boolean;
  readonly onAdd: (user: { id: string; username: string }) => Promise<void>;
}

function AddMember({ present, isBusy, onAdd }: AddMemberProps) {
  const project = useProject();
  const users = useApi(routes.user.list, { query: { project: project.id, limit: LIMIT } }, { topics: ['user'] });
  const [chosen, setChosen] = useState<string | null>(null);
  const free = (users.data?.body.items ?? []).filter(
    ({ id, memberships }) => !present.includes(id) && memberships.some((one) => one.project === project.id),
  );
  const user = free.find(({ id }) => id === chosen);
  return (
    <Group align="end" gap="xs">
      <Select
        label={text.add}
        className={classes.choice}
        searchable
        limit={200}
        data={free.map(({ id, username }) => ({ value: id, label: username }))}
        value={user ? chosen : null}
        onChange={setChosen}
      />
      <Button
        disabled={!user}
        loading={isBusy}
        onClick={() => {
          if (user) void onAdd(user).then(() => setChosen(null));
        }}
      >
        {text.addAction}
      </Button>
    </Group>
  );
}
