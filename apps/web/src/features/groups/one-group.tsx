import type { GroupView, PermissionView } from '@flotilla/contract';
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Confirm, Loaded, USERS_NAMED, UsedBy, useWrite } from '../../ui/index.ts';
import { GroupMembers } from './group-members.tsx';
import { texts } from './texts.ts';

const text = texts;

export function OneGroup({ id, onClose }: { id: string; onClose: () => void }) {
  const project = useProject();
  const found = useApi(
    routes.group.get,
    { params: { group_id: id }, query: { project: project.id } },
    { topics: ['group'] },
  );
  return (
    <Loaded query={found} what={text.title}>
      {({ body }) => (
        <Stack gap="md">
          <div>
            <Text fw={600} component="h3" m={0}>
              <bdi>{body.name}</bdi>
            </Text>
            {body.description !== null && <Text>{body.description}</Text>}
            {body.is_default && <Text c="dimmed">{text.members.joinsAll}</Text>}
          </div>
          <GroupMembers group={body} />
          <Removal group={body} onDone={onClose} />
        </Stack>
      )}
    </Loaded>
  );
}

function Removal({ group, onDone }: { group: GroupView; onDone: () => void }) {
  const project = useProject();
  const can = useCan();
  const write = useWrite();
  const [isOpen, setOpen] = useState(false);
  if (!can(routes.group.delete)) return null;
  return (
    <div>
      <Button variant="default" onClick={() => setOpen(true)}>
        {text.remove.action}
      </Button>
      <Confirm
        opened={isOpen}
        title={text.remove.title(group.name)}
        action={text.remove.action}
        isDangerous
        onClose={() => setOpen(false)}
        onConfirm={async () => {
          await write(
            routes.group.delete,
            { params: { group_id: group.id }, query: { project: project.id } },
            { done: text.remove.done(group.name), stale: [routes.group.list] },
          );
          onDone();
        }}
      >
        <Stack gap="sm">
          {text.remove.text}
          {isOpen && <GroupPermissions group={group.id} />}
        </Stack>
      </Confirm>
    </div>
  );
}

/** Names what the members can access through the group. */
function GroupPermissions({ group }: { group: string }) {
  const project = useProject();
  const found = useApi(
    routes.permission.list,
    { query: { project: project.id, group_id: [group], limit: USERS_NAMED } },
    { topics: ['permission'] },
  );
  return (
    <UsedBy<PermissionView>
      query={found}
      what={text.remove.permissions}
      title={text.remove.gives}
      rowId={({ id }) => id}
      name={({ resource: { kind, name }, level }) => text.remove.given(kind, name, level)}
    />
  );
}
