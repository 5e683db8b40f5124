import { createId } from '@flotilla/kit';
import { beforeAll, beforeEach, expect, vi } from 'vitest';
import { SYSTEM } from '../../../../platform/jobs/testing/jobs.ts';
import type { TestBrowser } from './browser.ts';
import { person, type stageProviders } from './stage.ts';

export const OFFLINE = { scopes: ['profile', 'email', 'offline_access'] };
/** Path of the discovery document, which is fetched again when the settings change. */
export const DISCOVERY = '/.well-known/openid-configuration';
export const WAIT = { timeout: 90_000 };

/** People who sign in at a provider that is asked about them later; reset for each test. */
export function stageRechecks(here: ReturnType<typeof stageProviders>) {
  beforeAll(() => stopClock(here));
  beforeEach(async () => {
    here.corp.gone.clear();
    here.corp.faults.clear();
    here.corp.before = async () => {};
    await here.t.database.db.deleteFrom('provider_grants').execute();
    await here.configure('corp', { issuer: here.corp.issuer, ...OFFLINE });
  });

  async function signIn(sub: string, provider = here.corp, name = 'corp'): Promise<TestBrowser> {
    provider.person = person(sub);
    const browser = here.openBrowser();
    expect((await browser.signIn(name)).location).toBe('/');
    return browser;
  }

  /** Runs the recheck job to its end. */
  async function recheck() {
    const { database, controller } = here.t;
    const type = controller.jobs.types.get('oidc.recheck');
    if (!type) throw new Error('there is no such job');
    const order = { params: {}, project: null, actor: SYSTEM };
    const { id } = await database.db.transaction().execute((tx) => controller.jobs.enqueue(tx, type, order));
    return vi.waitFor(async () => {
      const job = await database.db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      if (job.ended_at === null) throw new Error(`the job is ${job.status}`);
      return job;
    }, WAIT);
  }

  async function grantOf(sub: string): Promise<Buffer | undefined> {
    const user = await here.findUser(`p-${sub}`);
    const row = await here.t.database.db
      .selectFrom('provider_grants')
      .select('sealed_token')
      .where('user_id', '=', user?.id ?? createId())
      .executeTakeFirst();
    return row?.sealed_token;
  }

  /** Moves the time of the missing answer into the past. Returns whether an answer was missing. */
  async function ageGrant(sub: string, minutes: number): Promise<boolean> {
    const user = await here.findUser(`p-${sub}`);
    const { numUpdatedRows } = await here.t.database.db
      .updateTable('provider_grants')
      .set({ asked_at: new Date(Date.now() - minutes * 60_000) })
      .where('user_id', '=', user?.id ?? createId())
      .where('asked_at', 'is not', null)
      .executeTakeFirstOrThrow();
    return Number(numUpdatedRows) === 1;
  }

  return { signIn, recheck, grantOf, ageGrant };
}

/** Disables the schedule, so that only the test starts rechecks. */
async function stopClock(here: ReturnType<typeof stageProviders>): Promise<void> {
  const { db } = here.t.database;
  const { numUpdatedRows } = await db
    .updateTable('job_schedules')
    .set({ enabled: false })
    .where('type', '=', 'oidc.recheck')
    .executeTakeFirstOrThrow();
  expect(Number(numUpdatedRows)).toBe(1);
  // Waits for a job that the schedule has already started.
  await vi.waitFor(async () => {
    const open = await db
      .selectFrom('jobs')
      .select('id')
      .where('type', '=', 'oidc.recheck')
      .where('ended_at', 'is', null)
      .execute();
    expect(open).toEqual([]);
  }, WAIT);
}
