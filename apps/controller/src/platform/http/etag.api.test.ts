import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../testing/fleet.ts';
import { fillAddresses, type TestAddresses } from './testing/addresses.ts';
import { name } from './testing/matrix.ts';

/**
 * Every record that can be read and changed at one address has an ETag, and a change based on an outdated state is
 * refused. The test iterates over the route table, so a new record is covered by declaring its routes.
 */
let t: TestFleet;
let addresses: TestAddresses;

beforeAll(async () => {
  t = await createTestFleet();
  addresses = await fillAddresses(t);
}, 120_000);
afterAll(() => t?.close());

/** Not records: the body is a command, and it cannot overwrite the change of another caller. */
const NO_RECORDS: Readonly<Record<string, string>> = {
  changePermissionSelection: 'names what to give and what to take, each by itself',
  setResourceAccess: 'one word',
};

const SERVICE = { name: 'shop', version: TEST_VERSION, bootstrap: 'boot', listeners: ['web'] };
const CLOUD = {
  auth: { auth_url: 'https://k.example/v3', application_credential_id: 'i', application_credential_secret: 's' },
  region_name: 'n',
};
const DOCUMENT = { resource: { generic_secret: { secret: { inline_string: 'x' } } } };
const NAMED = { name: 'other', description: null };
const ALERT_RULE = {
  name: 'other',
  enabled: true,
  condition: { kind: 'client_offline' },
  for_s: 0,
  severity: 'warning',
  channels: [],
  quiet_hours: null,
  repeat_s: null,
  selector: { names: [], labels: {} },
};
const EVENT_EXPORT = {
  name: 'other',
  enabled: true,
  target: { kind: 'syslog', host: 'logs.example.com', port: 6514 },
  selection: {},
};
const ALERT_CHANNEL = { name: 'other', enabled: true, target: { kind: 'email', recipients: ['o@example.com'] } };

/** Valid bodies, for routes that refuse an empty body before they look at the record. */
const BODIES: Readonly<Record<string, object>> = {
  replaceService: SERVICE,
  replaceDocument: DOCUMENT,
  replaceExtensionObject: { resource: {} },
  replaceCloud: CLOUD,
  replaceNamedSetting: CLOUD,
  replaceGroup: NAMED,
  replaceProject: NAMED,
  replaceUser: { username: 'other', email: null, is_owner: false, active: true },
  replacePolicy: { text: 'x' },
  setOtpConfig: { otp_enforced: false },
  replaceThreatIntel: { feeds: [] },
  updateJobSchedule: { name: 'other', type: 'test.tenant', cron: '0 4 1 1 *' },
  replaceAlertRule: ALERT_RULE,
  replaceAlertChannel: ALERT_CHANNEL,
  replaceEventExport: EVENT_EXPORT,
  replaceApiOwnerRules: { rules: [] },
  renamePasskey: { name: 'other' },
};

const contracts = () => t.controller.routes.map(({ contract }) => contract);

/** Records are read and changed at one address; some are also deleted there. */
const changing = () => {
  const read = new Set(contracts().flatMap(({ method, path }) => (method === 'GET' ? [path] : [])));
  const changed = new Set(
    contracts().flatMap(({ id, method, path }) =>
      (method === 'PUT' || method === 'PATCH') && read.has(path) && !(id in NO_RECORDS) ? [path] : [],
    ),
  );
  return contracts().filter(({ method, path }) => changed.has(path) && method !== 'GET' && method !== 'POST');
};

it('every changeable record is read with an ETag, and a change of another state is refused', async () => {
  const problems: string[] = [];
  const tags = new Map<string, unknown>();
  for (const contract of changing()) {
    const read = contracts().find(({ method, path }) => method === 'GET' && path === contract.path);
    const { headers, status, body } = await t.owner.call('GET', addresses.of(read ?? contract));
    tags.set(contract.path, headers.etag);
    if (headers.etag === undefined) problems.push(`GET ${contract.path}: no ETag (${status} ${JSON.stringify(body)})`);
    const given = contract.id === 'removePasskey' ? { password: t.owner.password } : BODIES[contract.id];
    const answer = await t.owner.call(
      contract.method,
      addresses.of(contract, { dry_run: 'true' }),
      given ?? (contract.body && {}),
      { 'if-match': '"never"' },
    );
    if (answer.status !== 412) problems.push(`${name(contract)}: ${answer.status} ${JSON.stringify(answer.body)}`);
    if (answer.status === 412) expect(answer.body.code).toBe('record.stale');
  }
  expect([...new Set(problems)]).toEqual([]);
  expect(tags.size).toBeGreaterThan(10);
});
