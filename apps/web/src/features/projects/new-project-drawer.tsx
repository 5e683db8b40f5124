import type { ProjectStarters } from '@flotilla/contract';
import { Button, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { NamedForm } from '../../accounts/index.ts';
import { loadSession, routes, useApi } from '../../api/index.ts';
import { Loaded, UrlDrawer, useWrite } from '../../ui/index.ts';
import { StarterVersions } from './starter-versions.tsx';
import { texts } from './texts.tsx';

const words = texts.newProjectDrawer;

export function NewProjectDrawer() {
  return (
    <UrlDrawer name="create" value="project" title={words.drawer.title}>
      {() => <NewProject />}
    </UrlDrawer>
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
  const write = useWrite();
  const [versions, setVersions] = useState<readonly string[]>([offered.default_version]);
  return (
    <NamedForm
      words={texts.create}
      route={routes.project.create}
      send={async (body) => {
        const input = { body: { ...body, starters: [...versions] } };
        await write(routes.project.create, input, { stale: [routes.project.list] });
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
