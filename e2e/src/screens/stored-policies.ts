import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { PROJECT, type Stage } from './stage.ts';

/** A policy with comments; `NAME` is a placeholder for its name. */
export const TEXT = `# Who may do what.
apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: NAME } # as it is stored
spec:
  domains:
    # the shop
    - hosts: [shop.example.com]
      policy:
        engines:
          rate_limit: { requests_per_second: 5, key: ip } # one limiter
      routes:
        - match: { path_prefix: /open }   # for everybody
          policy: {}
`;

export const pathOf = (name: string) => `/p/${PROJECT}/policies/${name}`;

export async function readPolicy({ fleet }: Stage, name: string) {
  return (await fleet.api('GET', `/api/v3/shield/policies/${name}`)).body;
}

/** Stores `TEXT` under this name, and returns the stored text. */
export async function storePolicy({ fleet }: Stage, name: string): Promise<string> {
  const text = TEXT.replace('NAME', name);
  const made = await fleet.api('POST', '/api/v3/shield/policies', { name, text });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return text;
}

/** Confirms the open review, and waits until it closes. */
export async function saveReviewed(page: Page, action: 'Save' | 'Create'): Promise<void> {
  const dialog = page.getByRole('dialog', { name: new RegExp(`^${action} policy`) });
  await dialog.getByRole('button', { name: action, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}
