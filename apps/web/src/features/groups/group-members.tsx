import type { GroupMemberView, GroupView } from '@flotilla/contract';
import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes, useApi, useApiList } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Loaded, Problem, sayDone, useSending } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';
import { texts } from './texts.ts';

const text = texts.members;
/** Maximum number of offered options. */
const OFFERED = 50;

/** Members of a group, with controls to add and remove them. */
export function GroupMembers({ group }: { group: GroupView }) {
  const project = useProject();
  const can = useCan();
  const queryClient = useQueryClient();
  const sending = useSending();
  const list = useApiList<GroupMemberView>(
    routes.group.listMembers,
    { params: { group_id: group.id }, query: { project: project.id } },
    { topics: ['group', 'user'] },
  );
  const change = async (user: { id: string; username: string }, isIn: boolean) => {
    const input = { params: { group_id: group.id, user_id: user.id }, query: { project: project.id } };
    const isDone = await sending.send(() => call(isIn ? routes.group.putMember : routes.group.deleteMember, input));
    if (!isDone) return;
    sayDone(isIn ? text.added(user.username, group.name) : text.removed(user.username, group.name));
    await invalidate(queryClient, routes.group.listMembers, routes.group.get, routes.group.list);
  };
  return (
    <Loaded query={list.query} what={text.what}>
      {() => (
        <Stack gap="sm">
          {list.rows.length === 0 && <Text>{text.none}</Text>}
          <ul className={lines.rows} aria-label={text.what} hidden={list.rows.length === 0}>
            {list.rows.map(({ user_id: id, username }) => (
              <li key={id} className={lines.row}>
                <bdi className={lines.grow}>{username}</bdi>
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
          {list.query.hasNextPage && (
            <div>
              <Button variant="default" loading={list.query.isFetchingNextPage} onClick={list.loadMore}>
                {text.more}
              </Button>
            </div>
          )}
          {can(routes.group.putMember) && (
            <AddMember
              present={list.rows.map(({ user_id: id }) => id)}
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
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), 150);
  const users = useApi(
    routes.user.list,
    { query: { project: project.id, limit: OFFERED, ...(q && { q }) } },
    { topics: ['user'], keepPrevious: true },
  );
  const [user, setUser] = useState<{ id: string; username: string } | null>(null);
  // The list of accounts also contains former members of the project.
  const free = (users.data?.body.items ?? []).filter(
    ({ id, memberships }) => memberships.length > 0 && !present.includes(id),
  );
  const choices = new Map([...(user ? [user] : []), ...free].map(({ id, username }) => [id, username]));
  const choose = (id: string | null) => {
    const username = id === null ? undefined : choices.get(id);
    setUser(id === null || username === undefined ? null : { id, username });
  };
  return (
    <Group align="end" gap="xs">
      <Select
        label={text.add}
        flex={1}
        searchable
        searchValue={typed}
        onSearchChange={setTyped}
        nothingFoundMessage={text.notFound}
        data={[...choices].map(([value, label]) => ({ value, label }))}
        value={user?.id ?? null}
        onChange={choose}
      />
      <Button
        disabled={!user}
        loading={isBusy}
        onClick={() => {
          if (user) void onAdd(user).then(() => setUser(null));
        }}
      >
        {text.addAction}
      </Button>
    </Group>
  );
}
