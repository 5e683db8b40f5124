import { createId } from '@flotilla/kit';
import { beforeEach, expect, vi } from 'vitest';
import { SYSTEM } from '../jobs/test-jobs.ts';
import type { TestBrowser } from './test-browser.ts';
import { person, type stageProviders } from './test-stage.ts';

export const OFFLINE = { scopes: ['profile', 'email', 'offline_access'] };
export const WAIT = { timeout: 30_000 };

/** People who sign in at a provider that is asked about them afterwards, anew for each test. */
export function stageRechecks(here: ReturnType<typeof stageProviders>) {
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

  /** Runs the job that asks again, to its end. */
  async function recheck() {
    const { database, controller } = here.t;
    const type = controller.jobs.types.get('oidc.recheck');
    if (!type) throw new Error('there is no such job');
    const order = { params: {}, project: null, actor: SYSTEM };
    // The clock may have begun one at this very moment.
    const { id } = await vi.waitFor(
      () => database.db.transaction().execute((tx) => controller.jobs.enqueue(tx, type, order)),
      WAIT,
    );
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

  return { signIn, recheck, grantOf };
}
