import { Drawer } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { NamedForm } from '../../accounts/index.ts';
import { call, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { sayDone } from '../../ui/index.ts';

const text = texts.groups;

export function NewGroupDrawer() {
  const url = useUrlState();
  return (
    <Drawer
      opened={url.get('create') === 'group'}
      onClose={() => url.set({ create: undefined })}
      title={text.create.title}
    >
      <NewGroupForm />
    </Drawer>
  );
}

/** Opens the new group, to add members. */
function NewGroupForm() {
  const project = useProject();
  const url = useUrlState();
  const queryClient = useQueryClient();
  return (
    <NamedForm
      words={{ ...text.create, name: text.name, description: text.description }}
      send={async (body) => {
        const made = await call(routes.group.create, { query: { project: project.id }, body });
        sayDone(text.create.done(made.body.name));
        url.set({ create: undefined, group: made.body.id });
        await invalidate(queryClient, routes.group.list);
      }}
    />
  );
}
