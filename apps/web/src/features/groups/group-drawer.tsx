import type { GroupView } from '@flotilla/contract';
import { Button, Drawer, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Confirm, Loaded, sayDone, useKept } from '../../ui/index.ts';
import { GroupMembers } from './group-members.tsx';

const text = texts.groups;

/** The group that the URL names, with its members. */
export function GroupDrawer() {
  const url = useUrlState();
  const id = url.get('group');
  const shown = useKept(id);
  return (
    <Drawer
      opened={id !== undefined}
      onClose={() => url.set({ group: undefined })}
      title={text.members.title}
      size="lg"
    >
      {shown && <OneGroup key={shown} id={shown} onClose={() => url.set({ group: undefined })} />}
    </Drawer>
  );
}

function OneGroup({ id, onClose }: { id: string; onClose: () => void }) {
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
  const queryClient = useQueryClient();
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
          await call(routes.group.delete, { params: { group_id: group.id }, query: { project: project.id } });
          sayDone(text.remove.done(group.name));
          onDone();
          await invalidate(queryClient, routes.group.list);
        }}
      >
        {text.remove.text}
      </Confirm>
    </div>
  );
}
