import { documentRoutes, xdsRoutes } from '@flotilla/contract';
import { createServerCertificate, isFullTier } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Owner } from './owner.ts';
import { look, PROJECT, Stage } from './stage.ts';

let stage: Stage;
let owner: Owner;
let version: string;
const DAY_MS = 86_400_000;

beforeAll(async () => {
  stage = await Stage.open();
  owner = await Owner.of(stage);
  const { items } = await owner.call(xdsRoutes.list, {
    params: { collection: 'clusters' },
    query: { project: owner.project },
  });
  version = items[0]?.version ?? '';
  for (const [name, days] of Object.entries({ shop: -400, blog: 12, forum: 300 })) await putSecret(name, days);
});
afterAll(() => stage?.close());

async function putSecret(name: string, days: number): Promise<void> {
  const { certificatePem, privateKeyPem } = await createServerCertificate(
    `${name}.example.com`,
    new Date(Date.now() + days * DAY_MS),
  );
  const tls = { certificate_chain: { inline_string: certificatePem }, private_key: { inline_string: privateKeyPem } };
  const document = { collection: 'secrets' as const, name, version, resource: { tls_certificate: tls } };
  await owner.call(documentRoutes.apply, { query: {}, body: { project: owner.project, documents: [document] } });
}

async function putCluster(name: string, resource: object): Promise<void> {
  const document = { collection: 'clusters' as const, name, version, resource: { type: 'STATIC', ...resource } };
  await owner.call(documentRoutes.apply, { query: {}, body: { project: owner.project, documents: [document] } });
}

const listOf = (collection: string, more = '') => `/p/${PROJECT}/resources/${collection}${more}`;

const LOOKS = [
  ['light', 1280],
  ['dark', 390],
  ['light', 390],
  ['dark', 1280],
] as const;

describe('expiring certificates', () => {
  it.each(isFullTier ? LOOKS : LOOKS.slice(0, 2))(
    'are shown in the overview with links to their document and the list, in the %s theme at %i px',
    async (scheme, width) => {
      const { page, complaints, close } = await stage.open(`/p/${PROJECT}/overview`, { scheme, width });
      await page.getByRole('link', { name: '1 certificate has expired' }).waitFor();
      await page.getByRole('link', { name: '1 certificate expires within 30 days' }).waitFor();
      const listed = page.getByRole('list', { name: 'Certificates that have expired or expire within 30 days' });
      expect(await listed.getByRole('listitem').count()).toBe(2);
      await listed.locator('[data-state="Expired"]').waitFor();
      await look(page, `overview with certificates ${scheme} ${width}`);
      await listed.getByRole('link', { name: 'shop' }).click();
      await page.getByRole('heading', { level: 1, name: /^shop/ }).waitFor();
      await page.goBack();
      await page.getByRole('link', { name: 'Secrets by expiry' }).click();
      await page.getByRole('heading', { level: 1, name: 'Secrets' }).waitFor();
      const names = page.locator('[data-index] a');
      await expect.poll(() => names.allTextContents()).toEqual(['shop', 'blog', 'forum']);
      const cut = page
        .getByRole('gridcell')
        .evaluateAll((cells) =>
          cells.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map((cell) => cell.textContent),
        );
      expect(await cut).toEqual([]);
      await look(page, `secrets by their end ${scheme} ${width}`);
      expect(complaints).toEqual([]);
      await close();
    },
  );
});

it('secrets can be filtered by the state of their certificates, with the keyboard', async () => {
  const { page, close } = await stage.open(listOf('secrets'));
  await page.getByRole('button', { name: 'Filter' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('checkbox', { name: 'Expires soon' }).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Escape');
  await page.getByText('Certificate: Expires soon').waitFor();
  await expect.poll(() => page.locator('[data-index] a').allTextContents()).toEqual(['blog']);
  expect(new URL(page.url()).searchParams.get('certificate')).toBe('ends_soon');
  await close();
});

it('saving an expired certificate causes a warning', async () => {
  const { certificatePem } = await createServerCertificate('late.example.com', new Date(Date.now() - DAY_MS));
  const { page, close } = await stage.open(`${listOf('secrets')}/${version}/forum`);
  await page.getByRole('radiogroup', { name: 'View' }).getByText('JSON', { exact: true }).click();
  const text = JSON.stringify({ tls_certificate: { certificate_chain: { inline_string: certificatePem } } });
  await page.locator('.cm-content').fill(text);
  await page.getByRole('button', { name: 'Review and save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save forum?' });
  await dialog.getByText(/holds a certificate that ended on/).waitFor();
  await look(page, 'a certificate that has ended is saved');
  await close();
});

describe('a list in which rows can be selected', () => {
  it('selects a row by a click anywhere in the cell of its checkbox, and opens none', async () => {
    const { page, close } = await stage.open(listOf('secrets'));
    const row = page.getByRole('row').filter({ hasText: 'shop' });
    const cell = row.getByRole('gridcell').first();
    const box = await cell.boundingBox();
    if (!box) throw new Error('the cell is not rendered');
    const corners = [
      { x: 2, y: 2 },
      { x: box.width - 2, y: box.height - 2 },
    ];
    for (const position of corners) {
      await cell.click({ position });
      await expect.poll(() => row.getAttribute('aria-selected')).toBe('true');
      await cell.click({ position });
      await expect.poll(() => row.getAttribute('aria-selected')).toBe('false');
    }
    expect(new URL(page.url()).pathname).toBe(listOf('secrets'));
    await page
      .getByRole('columnheader')
      .first()
      .click({ position: { x: 3, y: 3 } });
    await page.getByText('3 selected').waitFor();
    await look(page, 'secrets selected');
    await close();
  });

  it('deletes nothing if one of them has changed since, and names it', async () => {
    await putCluster('to-go', { connect_timeout: '1s' });
    await putCluster('to-stay', { connect_timeout: '1s' });
    const { page, complaints, close } = await stage.open(listOf('clusters', '?q=to-'));
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 2 documents?' });
    await dialog.getByText('No proxy uses them.').waitFor();
    await putCluster('to-stay', { connect_timeout: '7s' });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog
      .getByText(`to-stay (${version}) has changed since you opened this dialog. Nothing was deleted`)
      // The refusal, and the preview, which has noticed the change as well by then.
      .first()
      .waitFor();
    await look(page, 'one of several has changed');
    await page.keyboard.press('Escape');
    expect(await page.locator('[data-index] a').allTextContents()).toEqual(['to-go', 'to-stay']);

    // In their current revision they may be deleted.
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('2 documents deleted.').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});
