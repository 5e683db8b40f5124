import type { RouteContract } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { fillProject, WORK } from '../tenancy/test-tenant.ts';
import { TEST_VERSION, type TestFleet } from '../test-fleet.ts';

const FILTER = 'envoy.extensions.filters.http.router.v3.Router';

const WORDS: Readonly<Record<string, string>> = {
  name: 'www',
  cloud_name: 'www',
  zone: 'www',
  version: TEST_VERSION,
};

/** The records of a project that is filled with one of everything, by the routes that are about one. */
export interface TestAddresses {
  /** Where the record of this route is; `more`: further parameters of the query. */
  of(contract: RouteContract, more?: Readonly<Record<string, string>>): string;
}

export async function fillAddresses(t: TestFleet): Promise<TestAddresses> {
  t.controller.jobs.register(WORK);
  const ours = await fillProject(t, t.project, 'marker');
  const filter = { name: 'www', version: TEST_VERSION, resource: {} };
  const made = await t.owner.call('POST', `/api/v3/eo/filters/${FILTER}?project=${t.project}`, filter);
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const passkeyId = await addPasskey(t);
  return {
    of(contract, more = {}) {
      const isOfProject = contract.path.includes(':key/:name') || contract.project === 'query';
      const isEnrolment = contract.path.includes('/enrolment-tokens/');
      const words: Record<string, string> = {
        ...(contract.path.includes('/eo/') ? { collection: 'filters', type: FILTER } : { collection: 'secrets' }),
        ...WORDS,
        ...ours.ids,
        ...(isEnrolment && { token_id: ours.ids.enrolment ?? '' }),
        passkey_id: passkeyId,
        project_id: t.project,
        key: isOfProject ? 'cloud' : 'general',
      };
      const path = contract.path.replaceAll(/:(\w+)/g, (_, parameter: string) => words[parameter] ?? 'unknown');
      const shape = (contract.query as { shape?: object } | undefined)?.shape ?? {};
      const query = {
        ...('project' in shape && (isOfProject || contract.path.includes('users')) && { project: t.project }),
        ...('version' in shape && { version: TEST_VERSION }),
        ...more,
      };
      return `${path}?${new URLSearchParams(query)}`;
    },
  };
}

/** Of the owner. A browser would have made it. */
async function addPasskey({ database, owner }: TestFleet): Promise<string> {
  const id = createId();
  const bytes = Buffer.from(id);
  await database.owner
    .insertInto('passkeys')
    .values({
      id,
      user_id: owner.userId,
      credential_id: bytes,
      public_key: bytes,
      sign_count: 0,
      transports: [],
      name: 'laptop',
      backed_up: false,
      created_at: new Date(),
    })
    .execute();
  return id;
}
