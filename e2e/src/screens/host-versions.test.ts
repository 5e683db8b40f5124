import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { settingRoutes } from '@flotilla/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage } from './stage.ts';

const MODULE = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
let stage: Stage;
let server: Server;
let places: Places;
/** Each attempt has its own, because another one may have left its module on the host. */
const version = `0.6.${Date.now() % 10_000}`;

beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
  server = createServer((request, response) => {
    if (request.url === '/coraza.wasm') {
      response.end(MODULE);
      return;
    }
    const sha256 = createHash('sha256').update(MODULE).digest('hex');
    const envoy = { arch: 'linux-amd64', download_url: 'https://archive.example.com/envoy', sha256: 'a'.repeat(64) };
    response.end(
      JSON.stringify({
        releases: [
          { version: 'v1.40.0', date: '2026-07-14T00:00:00Z', binaries: [envoy] },
          { version: '<img src=x onerror=alert(1)>', binaries: [envoy] },
        ],
        coroza_releases: [
          { version: `v${version}`, binaries: [{ arch: 'wasm-amd64', download_url: 'coraza.wasm', sha256 }] },
        ],
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await setArchive(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(async () => {
  await setArchive(null);
  server.close();
});

async function setArchive(archive_url: string | null): Promise<void> {
  await places.owner.call(settingRoutes.patch, { params: { key: 'archive' }, query: {}, body: { archive_url } });
}

const rowOf = (page: Page, text: string | RegExp) =>
  page.getByRole('table', { name: 'versions on hosts' }).getByRole('row').filter({ hasText: text });

it('the versions of a host are shown with their users and compared with the archive', async () => {
  const { page, complaints, close } = await stage.open(`/p/${PROJECT}/versions`);
  const row = rowOf(page, '1.40.0').filter({ hasText: 'service demo' });
  await row.getByText('Different file').waitFor();
  expect(await row.getByRole('button', { name: /^Remove 1\.40\.0 from/ }).isDisabled()).toBe(true);
  await page.getByText('releases[1] has a version that is not like v1.40.0').waitFor();
  await look(page, 'versions-envoy');
  expect(complaints).toEqual([]);
  await close();
});

it('a WAF module is installed on a host, and removed, each after a review', async () => {
  const { page, complaints, close } = await stage.open(`/p/${PROJECT}/versions?tab=waf`);
  await page.getByRole('button', { name: `Install ${version} on hosts` }).click();
  const review = page.getByRole('dialog', { name: `Install WAF module ${version}?` });
  expect(await review.getByRole('button', { name: 'Install', exact: true }).isDisabled()).toBe(true);
  await review.getByRole('checkbox').first().check();
  await review.getByText(/^1 host: 1 download/).waitFor();
  await look(page, 'versions-install');
  await review.getByRole('button', { name: 'Install', exact: true }).click();
  await review.waitFor({ state: 'detached' });
  await rowOf(page, version).getByText('Equal').waitFor();
  await page.getByRole('button', { name: new RegExp(`^Remove ${version} from`) }).click();
  const question = page.getByRole('dialog', { name: new RegExp(`^Remove WAF module ${version} from`) });
  await question.getByRole('button', { name: 'Remove', exact: true }).click();
  await question.waitFor({ state: 'detached' });
  await rowOf(page, version).waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await close();
});

it('a viewer sees the versions, and can change none', async () => {
  const { page, close } = await stage.open(`/p/${PROJECT}/versions`, {
    user: { username: 'victor', password: places.passwords.victor },
  });
  await rowOf(page, 'service demo').first().waitFor();
  expect(await page.getByRole('button', { name: /^(Install|Remove) / }).count()).toBe(0);
  await close();
});
