import { beforeEach, describe, expect, it } from 'vitest';
import { TEST_VERSION } from '../../../test-fleet.ts';
import { BASE, digestTables } from '../test-restore.ts';
import { stageProjects } from '../test-stage.ts';

const POLICIES = '/api/v3/shield/policies';
const GROUPS = '/api/v3/setting/groups';
const here = stageProjects({ documents: true });
let group: string;
let backup: string;

const policy = (name: string, rate = 1) => `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata:
  name: ${name} # as its file is called
spec:
  domains:
    - hosts: [guard.example.com]
      policy: { engines: { rate_limit: { key: ip, requests_per_second: ${rate} } } }
`;
const listenerAt = (port: number) => ({
  resource: { address: { socket_address: { address: '127.0.0.1', port_value: port } } },
});
const version = `&version=${TEST_VERSION}`;
const portOf = async (name: string, of = here.query) =>
  (await here.ask('GET', `/api/v3/xds/listeners/${name}`, undefined, { of, more: version })).resource.address
    .socket_address.port_value;
const changeListener = (name: string, port: number) =>
  here.ask('PUT', `/api/v3/xds/listeners/${name}`, listenerAt(port), { more: version });
const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
const describeGroup = async (id = group) => (await here.ask('GET', `${GROUPS}/${id}`)).description;
const planOf = (choices: object) =>
  here.t.owner.call('POST', `${BASE}/backup/plan${here.query}`, { backup, ...choices });

async function restore(choices: object) {
  const { digest } = await here.plan({ backup, ...choices });
  const done = await here.restore({ backup, ...choices, digest });
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
  return done.body;
}

beforeEach(async () => {
  await here.ask('POST', POLICIES, { name: 'guard', text: policy('guard') });
  group = (await here.ask('POST', GROUPS, { name: 'team', description: 'of the backup' })).id;
  backup = (await here.makeBackup({})).id;
  await changeListener('web', 18_500);
  await changeListener('admin', 18_501);
  await here.ask('PUT', `${POLICIES}/guard`, { text: policy('guard', 2) });
  await here.ask('PATCH', `${GROUPS}/${group}`, { description: 'of later' });
});

it('what another project has by a name neither takes it nor is touched', async () => {
  const { there, far } = await here.createFar();
  await here.ask('POST', POLICIES, { name: 'guard-restored', text: policy('guard-restored', 9) }, { of: far });
  const theirs = () =>
    here.t.database.owner.selectFrom('policies').selectAll().where('project_id', '=', there).execute();
  const before = await theirs();
  const { conflicts } = await here.plan({ backup, by_section: { policies: 'rename' } });
  expect(conflicts).toContainEqual({ kind: 'policies', name: 'guard', choice: 'rename', as: 'guard-restored' });
  await restore({ by_section: { policies: 'rename' } });
  expect(await theirs()).toEqual(before);
  // And an id of theirs is no record of this backup.
  const refused = await planOf({ by_record: [{ section: 'policies', record: before[0]?.id, choice: 'replace' }] });
  expect([refused.status, refused.body.code]).toEqual([400, 'backup.choice_refused']);
});

it('the nearest choice counts: of the record, by name or id, then of its section, then of all', async () => {
  const listener = `${TEST_VERSION}/listeners/admin`;
  const { from } = (await restore({ by_section: { groups: 'replace' } })).restored[0];
  expect(await describeGroup()).toBe('of the backup');
  await here.ask('PATCH', `${GROUPS}/${group}`, { description: 'of later' });
  const choices = {
    on_conflict: 'replace',
    by_section: { policies: 'skip' },
    by_record: [
      { section: 'documents', record: listener, choice: 'skip' },
      { section: 'groups', record: from, choice: 'rename', name: 'crew' },
    ],
  };
  const planned = await here.plan({ backup, ...choices });
  expect(planned.conflicts.toSorted(byName)).toEqual([
    { kind: 'documents', name: listener, choice: 'skip' },
    { kind: 'documents', name: `${TEST_VERSION}/listeners/web`, choice: 'replace' },
    { kind: 'policies', name: 'guard', choice: 'skip' },
    { kind: 'groups', name: 'team', choice: 'rename', as: 'crew' },
  ]);
  const { restored } = await restore(choices);
  expect(restored.map(({ name }: { name: string }) => name)).toEqual([`${TEST_VERSION}/listeners/web`, 'crew']);
  expect([await portOf('web'), await portOf('admin')]).toEqual([18_000, 18_501]);
  expect((await here.ask('GET', `${POLICIES}/guard`)).text).toBe(policy('guard', 2));
  expect(await describeGroup()).toBe('of later');
  expect(await describeGroup(restored[1].to)).toBe('of the backup');
  const last = await here.t.database.owner
    .selectFrom('audit_log')
    .select('changes')
    .where('project_id', '=', here.project)
    .where('action', '=', 'backup.restore')
    .orderBy('id', 'desc')
    .executeTakeFirst();
  expect(last?.changes).toMatchObject({ replaced: 1, skipped: 2, renamed: 1 });
});

it('a restore by other choices than those of its plan is refused', async () => {
  const { digest } = await here.plan({ backup, by_section: { groups: 'replace' } });
  const refused = await here.t.owner.call('POST', `${BASE}/backup/import${here.query}`, {
    backup,
    digest,
    by_section: { groups: 'rename' },
  });
  expect([refused.status, refused.body.code]).toEqual([409, 'backup.plan_changed']);
});

it('the order in which exceptions are named is none of what a plan holds', async () => {
  const records = ['web', 'admin'].map((name) => ({
    section: 'documents',
    record: `${TEST_VERSION}/listeners/${name}`,
    choice: 'rename',
  }));
  const [one, other] = [
    await here.plan({ backup, by_record: records }),
    await here.plan({ backup, by_record: records.toReversed() }),
  ];
  expect(one.digest).toBe(other.digest);
});

describe('is refused in the plan, and nothing is changed', () => {
  const record = (section: string, name: string, more: object = { choice: 'replace' }) => ({
    by_record: [{ section, record: name, ...more }],
  });
  const web = `${TEST_VERSION}/listeners/web`;
  const to = (name: string) => ({ choice: 'rename', name });
  const cases: readonly [string, object, string][] = [
    ['a record that the backup has not', record('documents', 'nowhere'), 'backup.choice_refused'],
    ['a record of another section', record('policies', web), 'backup.choice_refused'],
    ['a document named without its version', record('documents', 'web'), 'backup.choice_refused'],
    [
      'a record that is named twice',
      { by_record: [...record('documents', web).by_record, ...record('documents', web, to('w')).by_record] },
      'backup.choice_refused',
    ],
    [
      'a new name for what is replaced',
      record('policies', 'guard', { choice: 'replace', name: 'x' }),
      'backup.choice_refused',
    ],
    ['a setting by another name', record('settings', 'otp', to('x')), 'backup.choice_refused'],
    ['a name that is taken here', record('documents', web, to('one')), 'backup.name_taken'],
    ['the name that it has', record('groups', 'team', to('TEAM')), 'backup.name_taken'],
    [
      'one name for two',
      {
        by_record: [web, `${TEST_VERSION}/listeners/admin`].map(
          (one) => record('documents', one, to('both')).by_record[0],
        ),
      },
      'backup.name_taken',
    ],
    [
      'a name that grows too long',
      { ...record('groups', 'team', { choice: 'rename', name: 'x'.repeat(129) }) },
      'request.invalid',
    ],
    ['a name that leads elsewhere', record('documents', web, to('../x')), 'request.invalid'],
    ['a suffix that is none', { by_section: { groups: 'rename' }, suffix: '/x' }, 'request.invalid'],
    ['a section of people', { by_section: { users: 'replace' } }, 'request.invalid'],
    ['settings that are renamed', { by_section: { settings: 'rename' } }, 'request.invalid'],
  ];

  it('whatever of these is asked for', async () => {
    const before = await digestTables(here.t.database.owner);
    for (const [what, choices, code] of cases) {
      const refused = await planOf(choices);
      expect([refused.body.code, refused.status >= 400], what).toEqual([code, true]);
    }
    expect(await digestTables(here.t.database.owner)).toEqual(before);
  });

  it('a name that somebody takes between the plan and the restore', async () => {
    const choices = record('documents', web, to('beside'));
    const { digest } = await here.plan({ backup, ...choices });
    await here.ask('POST', '/api/v3/xds/listeners', { name: 'beside', version: TEST_VERSION, ...listenerAt(18_900) });
    const refused = await here.t.owner.call('POST', `${BASE}/backup/import${here.query}`, {
      backup,
      ...choices,
      digest,
    });
    expect([refused.status, refused.body.code]).toEqual([409, 'backup.name_taken']);
    expect(await portOf('beside')).toBe(18_900);
  });
});
