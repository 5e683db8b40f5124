import type { RouteContract } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { TEST_VERSION, type TestFleet } from '../../../testing/fleet.ts';
import { fillProject, WORK } from '../../../testing/tenancy/tenant.ts';

const FILTER = 'envoy.extensions.filters.http.router.v3.Router';

const WORDS: Readonly<Record<string, string>> = {
  name: 'www',
  cloud_name: 'www',
  zone: 'www',
  version: TEST_VERSION,
  number: '1',
  consumer_hash: '0123456789abcdef',
  event_id: `1.${'0'.repeat(24)}`,
};

/** Addresses of routes about one record, in a project that contains one record of each kind. */
export interface TestAddresses {
  /** The address for this route; `more`: further query parameters. */
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
        operation_id: '0123456789abcdef',
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
        ...(contract.path.endsWith('/inventory/top') && { by: 'route' }),
        ...('policy' in shape && contract.path.includes('/inventory/') && { policy: 'www' }),
        ...more,
      };
      return `${path}?${new URLSearchParams(query)}`;
    },
  };
}

/** Inserts a passkey of the owner directly, because creating one needs a browser. */
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
