import { createHash } from 'node:crypto';
import { type ArchiveServer, startArchive, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { setArchive } from './release-archive.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage } from './stage.ts';

const MODULE = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
/** Nothing but this archive knows it, and its file is no Envoy. */
const BROKEN = '7.7.7';
let stage: Stage;
let archive: ArchiveServer;
let places: Places;
/** Each attempt has its own, because another one may have left its module on the host. */
const version = `0.6.${Date.now() % 10_000}`;

beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
  archive = await startArchive();
  archive.serve('/coraza.wasm', MODULE);
  // Each attempt has a file of its own, because another one may have prepared the version.
  const oldest = await archive.makeEnvoy(TEST_ENVOY_VERSIONS.oldest, Buffer.from(version));
  archive.serve('/oldest', oldest);
  archive.serve('/page', Buffer.from('<html>Sign in</html>'));
  const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
  const binary = (download_url: string, digest: string) => ({ arch: 'linux-amd64', download_url, sha256: digest });
  const known = binary('https://archive.example.com/envoy', 'a'.repeat(64));
  const index = {
    releases: [
      { version: 'v1.40.0', date: '2026-07-14T00:00:00Z', binaries: [known] },
      { version: '<img src=x onerror=alert(1)>', binaries: [known] },
      { version: TEST_ENVOY_VERSIONS.oldest, binaries: [binary('oldest', oldest.sha256)] },
      { version: BROKEN, binaries: [binary('page', sha256('<html>Sign in</html>'))] },
    ],
    coroza_releases: [
      { version: `v${version}`, binaries: [{ ...binary('coraza.wasm', sha256(MODULE)), arch: 'wasm-amd64' }] },
    ],
  };
  archive.serve('/index.json', Buffer.from(JSON.stringify(index)));
  await setArchive(places, archive.url);
});
afterAll(async () => {
  await setArchive(places, null);
  await archive.close();
});

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

const releaseOf = (page: Page, release: string) =>
  page
    .getByRole('table', { name: 'releases' })
    .getByRole('row')
    .filter({ has: page.getByText(release, { exact: true }) });

it('a release is prepared for documents after a review, and a broken one says why it cannot be', async () => {
  const { page, complaints, close } = await stage.open(`/p/${PROJECT}/versions`);
  await releaseOf(page, '1.40.0').getByText('Known').waitFor();
  for (const release of [TEST_ENVOY_VERSIONS.oldest, BROKEN]) {
    await page.getByRole('button', { name: `Prepare ${release} for documents` }).click();
    const review = page.getByRole('dialog', { name: `Prepare Envoy ${release} for documents?` });
    await review.getByText(/It does not run it/).waitFor();
    await review.getByRole('button', { name: 'Prepare', exact: true }).click();
    await review.waitFor({ state: 'detached' });
  }
  await releaseOf(page, TEST_ENVOY_VERSIONS.oldest).getByText('Prepared', { exact: true }).waitFor();
  const broken = releaseOf(page, BROKEN);
  await broken.getByText('Failed').waitFor();
  await look(page, 'versions-prepared');
  await broken.getByRole('link', { name: /^job \d+$/ }).click();
  await page
    .getByText(/is not a program/)
    .first()
    .waitFor();
  expect(complaints).toEqual([]);
  await close();
});

it('a viewer sees the versions, and can change none', async () => {
  const { page, close } = await stage.open(`/p/${PROJECT}/versions`, {
    user: { username: 'victor', password: places.passwords.victor },
  });
  await rowOf(page, 'service demo').first().waitFor();
  expect(await page.getByRole('button', { name: /^(Install|Prepare|Remove) / }).count()).toBe(0);
  await close();
});
