import type { ProjectStarters } from '@flotilla/contract';
import { Button, Drawer, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { NamedForm } from '../../accounts/index.ts';
import { call, invalidate, loadSession, routes, useApi } from '../../api/index.ts';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Loaded } from '../../ui/index.ts';
import { StarterVersions } from './starter-versions.tsx';

const words = texts.projects.newProjectDrawer;

const text = texts.projects;

export function NewProjectDrawer() {
  const url = useUrlState();
  return (
    <Drawer
      opened={url.get('create') === 'project'}
      onClose={() => url.set({ create: undefined })}
      title={words.drawer.title}
    >
      <NewProject />
    </Drawer>
  );
}

function NewProject() {
  const starters = useApi(routes.project.starters, {});
  const [created, setCreated] = useState<string>();
  if (created !== undefined) return <Created name={created} />;
  return (
    <Loaded query={starters} what={words.starters.what}>
      {({ body }) => <NewProjectForm offered={body} onCreated={setCreated} />}
    </Loaded>
  );
}

function NewProjectForm({ offered, onCreated }: { offered: ProjectStarters; onCreated: (name: string) => void }) {
  const queryClient = useQueryClient();
  const [versions, setVersions] = useState<readonly string[]>([offered.default_version]);
  return (
    <NamedForm
      words={text.create}
      send={async (body) => {
        await call(routes.project.create, { body: { ...body, starters: [...versions] } });
        await invalidate(queryClient, routes.project.list);
        await loadSession();
        onCreated(body.name);
      }}
    >
      <StarterVersions offered={offered} value={versions} onChange={setVersions} />
    </NamedForm>
  );
}

function Created({ name }: { name: string }) {
  return (
    <Stack gap="md">
      <div role="status">{words.created.nextSteps(<bdi className="mono">{name}</bdi>)}</div>
      <div>
        <Button renderRoot={(props) => <Link to="/p/$project/overview" params={{ project: name }} {...props} />}>
          {words.created.openProject}
        </Button>
      </div>
    </Stack>
  );
}
