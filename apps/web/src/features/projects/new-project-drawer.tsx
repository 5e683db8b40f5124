import { Button, Drawer, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { NamedForm } from '../../accounts/index.ts';
import { call, invalidate, loadSession, routes } from '../../api/index.ts';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';

const words = texts.projects.newProjectDrawer;

const text = texts.projects;

export function NewProjectDrawer() {
  const url = useUrlState();
  return (
    <Drawer
      opened={url.get('create') === 'project'}
      onClose={() => url.set({ create: undefined })}
      title={words.newProjectDrawer.title}
    >
      <NewProject />
    </Drawer>
  );
}

function NewProject() {
  const queryClient = useQueryClient();
  const [created, setCreated] = useState<string>();
  if (created !== undefined) return <Created name={created} />;
  return (
    <NamedForm
      words={text.create}
      send={async (body) => {
        await call(routes.project.create, { body });
        await invalidate(queryClient, routes.project.list);
        await loadSession();
        setCreated(body.name);
      }}
    />
  );
}

function Created({ name }: { name: string }) {
  return (
    <Stack gap="md">
      <div role="status">{words.created.text(<bdi className="mono">{name}</bdi>)}</div>
      <div>
        <Button renderRoot={(props) => <Link to="/p/$project/overview" params={{ project: name }} {...props} />}>
          {words.created.button}
        </Button>
      </div>
    </Stack>
  );
}
