import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { PROJECT, type Stage } from './stage.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;

interface NewDocument {
  readonly collection: string;
  readonly name: string;
  readonly resource: object;
  /** Needed where a collection has several types. */
  readonly type?: string | undefined;
}

/** Stores a document, and returns the path of its page. */
export async function storeDocument(
  { fleet }: Stage,
  { collection, name, resource, type }: NewDocument,
): Promise<string> {
  const body = { name, version: VERSION, resource, ...(type && { type }) };
  const made = await fleet.api('POST', `/api/v3/xds/${collection}`, body);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return `/p/${PROJECT}/resources/${collection}/${VERSION}/${encodeURIComponent(name)}`;
}

export async function readDocument({ fleet }: Stage, collection: string, name: string) {
  const path = `/api/v3/xds/${collection}/${encodeURIComponent(name)}?version=${VERSION}`;
  return (await fleet.api('GET', path)).body;
}

export function storeCluster(stage: Stage, name: string, more: object = {}): Promise<string> {
  const resource = { name, type: 'STATIC', connect_timeout: '1s', ...more };
  return storeDocument(stage, { collection: 'clusters', name, resource });
}

/** Returns the row of a path in the document, with everything below it. */
export const row = (page: Page, path: string) => page.locator(`[data-at="${path}"]`);
export const textOf = (page: Page, path: string) => row(page, path).getByRole('textbox');

export async function open(page: Page, ...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const header = row(page, path).locator('button[aria-expanded]').first();
    await header.waitFor();
    if ((await header.getAttribute('aria-expanded')) === 'false') await header.press('Enter');
  }
}

/** Selects an arm of a oneof: few arms are shown in a line, many in a list with a search. */
export async function choose(page: Page, oneof: string, arm: string): Promise<void> {
  const choice = row(page, oneof);
  await choice.waitFor();
  if ((await choice.getByRole('radio').count()) > 0) {
    await choice.getByText(arm, { exact: true }).click();
    return;
  }
  await choice.getByRole('button').first().click();
  await page.getByRole('dialog').getByRole('option', { name: arm }).first().click();
}

export async function chooseView(page: Page, view: 'Form' | 'YAML' | 'JSON'): Promise<void> {
  await page.getByRole('radiogroup', { name: 'View' }).getByText(view, { exact: true }).click();
}

/** Returns the form's list of choices, after typing `search`. */
export async function search(page: Page, title: string, text: string): Promise<Locator> {
  const picker = page.getByRole('dialog', { name: title });
  await picker.getByRole('combobox').fill(text);
  const first = picker.getByRole('option').first();
  await first.waitFor();
  return first;
}

export async function save(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Review and save' }).click();
  const dialog = page.getByRole('dialog', { name: `Save ${name}?` });
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

export const hasFocus = (field: Locator) => field.evaluate((element) => element === document.activeElement);
