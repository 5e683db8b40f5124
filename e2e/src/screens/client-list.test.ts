import type { Request } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { PROJECT, type Stage } from './stage.ts';

let stage: Stage;
let places: Places;

beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
});

const isQuestion = (request: Request) =>
  request.method() === 'POST' &&
  new URL(request.url()).pathname === '/api/op/clients' &&
  request.postDataJSON()?.type === 'CLIENT_STATS';

it('the list of clients asks the connected ones for CPU and memory when it loads, and shows their answers', async () => {
  const { page, complaints, close } = await stage.open(`/p/${PROJECT}/overview`);
  const asked = page.waitForRequest(isQuestion);
  await page.goto(`/p/${PROJECT}/clients`);
  const request = await asked;
  expect(request.postDataJSON().clients).toContainEqual({ client_id: places.client });
  const answer = await (await request.response())?.json();
  const own = answer.results.find((one: { client_id: string }) => one.client_id === places.client);
  expect(own).toMatchObject({ outcome: 'done', result: { memory: { usage_percent: expect.any(Number) } } });
  const row = page.getByRole('row').filter({ has: page.locator(`a[href*="${places.client}"]`) });
  await expect.poll(() => row.getByText(/^\d+(\.\d+)? ?%$/).count()).toBeGreaterThanOrEqual(2);
  expect(complaints).toEqual([]);
  await close();
});
