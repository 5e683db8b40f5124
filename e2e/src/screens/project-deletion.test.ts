import {
  alertRuleRoutes,
  documentRoutes,
  groupRoutes,
  type ProjectView,
  projectRoutes,
  xdsRoutes,
} from '@flotilla/contract';
import { beforeAll, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { expectAccessible, PROJECT, type Stage, takePicture } from './stage.ts';

let stage: Stage;
let places: Places;
beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
});

async function createProject(name: string): Promise<ProjectView> {
  const project = await places.owner.call(projectRoutes.create, { query: {}, body: { name, starters: [] } });
  // The controller adds these in the background, which changes the deletion plan.
  const rules = () => places.owner.call(alertRuleRoutes.list, { query: { project: project.id } });
  await expect.poll(async () => (await rules()).items.length).toBeGreaterThan(0);
  return project;
}

async function addCluster(project: string, name: string): Promise<void> {
  const document = {
    collection: 'clusters' as const,
    name,
    version: places.version,
    type: 'envoy.config.cluster.v3.Cluster',
    resource: { name, connect_timeout: '1s' },
  };
  await places.owner.call(documentRoutes.apply, { query: {}, body: { project, documents: [document] } });
}

async function listNames(): Promise<string[]> {
  const { items } = await places.owner.call(projectRoutes.list, { query: {} });
  return items.map(({ name }) => name);
}

it('a project is created with starter documents for the selected versions', async () => {
  const { page, complaints, close } = await stage.open('/projects?create=project');
  const dialog = page.getByRole('dialog', { name: 'Create a project' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('lighthouse');
  const starters = dialog.getByRole('group', { name: 'Starter documents' });
  // The version whose Envoy is installed is selected by default; the test selects another one.
  expect(await starters.getByRole('checkbox', { name: places.version, exact: true }).isChecked()).toBe(true);
  await starters.getByRole('checkbox', { name: '1.36.4', exact: true }).check();
  await dialog.getByText(/^\d+ documents$/).click();
  await dialog.getByText('listeners/http', { exact: true }).waitFor();
  await expectAccessible(page, 'the starter documents');
  await takePicture(page, 'project-starters');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('is created').waitFor();
  const { items: projects } = await places.owner.call(projectRoutes.list, { query: { q: 'lighthouse' } });
  const project = projects[0]?.id ?? '';
  const { items } = await places.owner.call(xdsRoutes.list, {
    params: { collection: 'listeners' },
    query: { project },
  });
  expect(items.map(({ name, version }) => `${version} ${name}`).toSorted()).toEqual([
    '1.36.4 http',
    `${places.version} http`,
  ]);
  await page.goto(page.url().replace(/\/projects.*/, '/p/lighthouse/groups'));
  await page.getByText('Everybody who joins the project').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

it('a project is deleted after its plan was shown, and a changed plan is shown again first', async () => {
  const { id } = await createProject('harbour');
  await addCluster(id, 'quay');
  await places.owner.call(groupRoutes.create, { query: { project: id }, body: { name: 'pilots' } });
  const { page, complaints, close } = await stage.open('/projects');
  await page.getByRole('button', { name: 'Delete harbour' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete the project' });
  const plan = dialog.getByRole('list', { name: 'The deletion plan' });
  await plan.getByText('quay').waitFor();
  await plan.getByText('pilots').waitFor();
  await expectAccessible(page, 'the deletion plan');
  await takePicture(page, 'project-deletion');

  const name = dialog.getByRole('textbox', { name: 'Project name' });
  const remove = dialog.getByRole('button', { name: 'Delete the project' });
  expect(await remove.isDisabled()).toBe(true);
  await name.fill('Harbour');
  expect(await remove.isDisabled()).toBe(true);
  await name.fill('harbour');
  await addCluster(id, 'jetty');
  await remove.click();
  await dialog.getByText('The project has changed').waitFor();
  await plan.getByText('jetty').waitFor();
  await takePicture(page, 'project-deletion-changed');
  expect(await listNames()).toContain('harbour');
  // The typed name only confirmed the previous plan.
  expect(await name.inputValue()).toBe('');
  expect(await remove.isDisabled()).toBe(true);

  await name.fill('harbour');
  await remove.click();
  await page.getByText('Project harbour is deleted.').waitFor();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Delete harbour' }).waitFor({ state: 'detached' });
  expect(await listNames()).not.toContain('harbour');
  expect(complaints).toEqual([]);
  await close();
});

it('a project with running services cannot be deleted, and the dialog names them', async () => {
  const { page, complaints, close } = await stage.open(`/projects?delete=${places.owner.project}`);
  const dialog = page.getByRole('dialog', { name: 'Delete the project' });
  await dialog.getByText('Clients still run services of this project').waitFor();
  await dialog.getByText(/^demo on /).waitFor();
  await dialog.getByRole('textbox', { name: 'Project name' }).fill(PROJECT);
  expect(await dialog.getByRole('button', { name: 'Delete the project' }).isDisabled()).toBe(true);
  await takePicture(page, 'project-deletion-running');
  expect(complaints).toEqual([]);
  await close();
});

it('a plan is not cached: the dialog shows the current contents when it is opened again', async () => {
  const { id } = await createProject('lagoon');
  const { page, close } = await stage.open(`/projects?delete=${id}`);
  const dialog = page.getByRole('dialog', { name: 'Delete the project' });
  await dialog.getByText('Delete lagoon?').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await addCluster(id, 'reef');
  await page.getByRole('button', { name: 'Delete lagoon' }).click();
  await dialog.getByText('reef').waitFor();
  expect(await dialog.getByText('The project has changed').count()).toBe(0);
  await close();
});
