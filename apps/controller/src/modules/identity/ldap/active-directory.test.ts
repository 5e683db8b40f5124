import { LDAP_SETTINGS, type LdapSettings } from '@flotilla/contract';
import { AndFilter, ExtensibleFilter, type Filter, OrFilter } from 'ldapts';
import { afterEach, describe, expect, it } from 'vitest';
import { askServer } from './directory.ts';
import { lookFor } from './look-for.ts';
import { type FakeDirectory, startFakeDirectory } from './testing/active-directory.ts';

const PASSWORD = 'In-The-Directory-7';
const GUID = Buffer.from('9f0e1d2c3b4a59687786a5b4c3d2e1f0', 'hex');
/** S-1-5-21-1-2-3-1104, whose last part identifies the account. */
const SID = Buffer.from('0105000000000005150000000100000002000000030000005004000000000000'.slice(0, 56), 'hex');
const DOMAIN_USERS = Buffer.from(`${SID.toString('hex').slice(0, 48)}01020000`, 'hex');
/** Contains every special character of filters and names. */
const DN = 'CN=Doe\\, (Alice) *\\5c,OU=People,DC=corp,DC=example';

const alice = {
  objectGUID: [GUID],
  objectSid: [SID],
  primaryGroupID: ['513'],
  sAMAccountName: ['alice'],
  mail: ['alice@corp.example'],
  userAccountControl: ['66048'],
  accountExpires: ['9223372036854775807'],
};
const GROUPS = ['CN=Operators,OU=Groups,DC=corp,DC=example', 'CN=Night Shift,OU=Groups,DC=corp,DC=example'];
const PRIMARY = 'CN=Domain Users,CN=Users,DC=corp,DC=example';

let directory: FakeDirectory | undefined;
afterEach(async () => {
  await directory?.close();
  directory = undefined;
});

async function start(change: Record<string, readonly (string | Buffer)[]> = {}, isThere = true): Promise<LdapSettings> {
  const entry = { dn: DN, attributes: { ...alice, ...change } };
  directory = await startFakeDirectory(PASSWORD, (filter) => {
    const text = textOf(filter);
    if (text.includes('objectsid')) return [{ dn: PRIMARY, attributes: {} }];
    if (text.includes('(objectclass=group)')) return GROUPS.map((dn) => ({ dn, attributes: {} }));
    return isThere ? [entry] : [];
  });
  return LDAP_SETTINGS.schema.parse({
    enabled: true,
    servers: [{ url: directory.url }],
    bind_dn: 'CN=flotilla,OU=Services,DC=corp,DC=example',
    bind_password: PASSWORD,
    base_dn: 'DC=corp,DC=example',
    user_filter: '(&(objectCategory=person)(|(sAMAccountName={username})(userPrincipalName={username})))',
    id_attribute: 'objectGUID',
    name_attribute: 'sAMAccountName',
    groups: { from: 'search', filter: '(objectClass=group)', nested: 'matching_rule' },
  });
}

const signIn = (settings: LdapSettings, given: { username: string; password: string; id?: string }) =>
  askServer(settings, { url: directory?.url ?? '', start_tls: false }, { given, signal: AbortSignal.timeout(30_000) });

/** The connection returns attribute names in lower case. */
const textOf = (filter: Filter | undefined) => filter?.toString().toLowerCase() ?? '';

/** All parts of a filter at any depth. */
const partsOf = (filter: Filter): Filter[] =>
  filter instanceof AndFilter || filter instanceof OrFilter ? filter.filters.flatMap(partsOf) : [filter];

describe('Active Directory', () => {
  it('finds people by either of their names, and resolves nested groups and the primary group itself', async () => {
    const settings = await start();
    const answer = await signIn(settings, { username: 'Alice@corp.example', password: PASSWORD });
    expect(answer).toEqual({
      kind: 'person',
      person: {
        dn: DN,
        id: GUID.toString('hex'),
        username: 'alice',
        email: 'alice@corp.example',
        groups: [PRIMARY, ...GROUPS],
      },
    });
    const chains = directory?.filters.flatMap(partsOf).filter((part) => part instanceof ExtensibleFilter);
    expect(chains?.map(({ matchType, rule, value }) => [matchType, rule, value])).toEqual([
      ['member', '1.2.840.113556.1.4.1941', DN],
      ['member', '1.2.840.113556.1.4.1941', PRIMARY],
    ]);
    // The SID of the group is that of the account with 513 as the last part.
    expect(Buffer.concat(directory?.received ?? []).includes(DOMAIN_USERS)).toBe(true);
  });

  it('recognises a renamed account by its immutable id', async () => {
    const settings = await start({ sAMAccountName: ['alice-married'] });
    const id = GUID.toString('hex');
    const answer = await signIn(settings, { username: 'alice', password: PASSWORD, id });
    expect(answer).toMatchObject({ kind: 'person', person: { id, username: 'alice-married' } });
    expect(Buffer.concat(directory?.received ?? []).includes(GUID)).toBe(true);
    expect(textOf(directory?.filters[0])).not.toContain('samaccountname');
  });

  it.each([
    ['is switched off', { userAccountControl: ['514'] }],
    ['is over since yesterday', { accountExpires: ['132000000000000000'] }],
    ['is locked, elsewhere than there', { nsAccountLock: ['TRUE'] }],
  ])('does not admit a person whose account %s, even with the right password', async (_name, change) => {
    const settings = await start(change);
    expect(await signIn(settings, { username: 'alice', password: PASSWORD })).toEqual({ kind: 'off' });
    expect(await signIn(settings, { username: 'alice', password: 'wrong' })).toMatchObject({ kind: 'wrong_password' });
    const server = { url: directory?.url ?? '', start_tls: false };
    const looking = { ids: [GUID.toString('hex')], signal: AbortSignal.timeout(30_000) };
    expect(await lookFor(settings, server, looking)).toEqual(new Map());
  });

  it('gets the same requests for an unknown name as for a wrong password', async () => {
    const asked: unknown[] = [];
    for (const isThere of [true, false]) {
      const settings = await start({}, isThere);
      const answer = await signIn(settings, { username: 'alice', password: 'wrong' });
      expect(answer).toMatchObject({ kind: isThere ? 'wrong_password' : 'unknown' });
      asked.push(directory?.operations);
      await directory?.close();
    }
    expect(asked[0]).toEqual([0x60, 0x63, 0x60]);
    expect(asked[1]).toEqual(asked[0]);
  });

  it('is treated as silent if it answers about some people only: the others are not gone', async () => {
    const entry = { dn: DN, attributes: alice };
    const cutting = await startFakeDirectory(PASSWORD, () => ({ cutShort: [entry] }));
    try {
      const settings = await start();
      const looking = { ids: [GUID.toString('hex'), 'another'], signal: AbortSignal.timeout(30_000) };
      await expect(lookFor(settings, { url: cutting.url, start_tls: false }, looking)).rejects.toMatchObject({
        step: 'search',
      });
    } finally {
      await cutting.close();
    }
  });

  it('gets no password through a referral to another server', async () => {
    const elsewhere = await startFakeDirectory(PASSWORD, () => []);
    const pointing = await startFakeDirectory(PASSWORD, () => ({ referral: `${elsewhere.url}/DC=corp,DC=example` }));
    try {
      const settings = await start();
      const server = { url: pointing.url, start_tls: false };
      const asking = { given: { username: 'alice', password: PASSWORD }, signal: AbortSignal.timeout(30_000) };
      await expect(askServer(settings, server, asking)).rejects.toMatchObject({ step: 'search' });
      expect(elsewhere.operations).toEqual([]);
    } finally {
      await Promise.all([elsewhere.close(), pointing.close()]);
    }
  });

  it.each([
    ['of no part at all', [Buffer.alloc(0)]],
    ['that is cut', [SID.subarray(0, 20)]],
    ['that counts more parts than it has', [Buffer.from([1, 255, ...SID.subarray(2)])]],
  ])('gives no primary group by a SID %s', async (_name, objectSid) => {
    const settings = await start({ objectSid });
    const answer = await signIn(settings, { username: 'alice', password: PASSWORD });
    expect(answer).toMatchObject({ kind: 'person', person: { groups: GROUPS } });
  });

  it('says who of many people still exists, under any name, and nothing about people who were not asked for', async () => {
    const settings = await start();
    const server = { url: directory?.url ?? '', start_tls: false };
    const others = Array.from({ length: 60 }, (_, i) => `entry-${i}`);
    const found = await lookFor(settings, server, {
      ids: [...others, GUID.toString('hex')],
      signal: AbortSignal.timeout(30_000),
    });
    expect(found).toEqual(new Map([[GUID.toString('hex'), [PRIMARY, ...GROUPS]]]));
    const asked = directory?.filters.filter((filter) => textOf(filter).includes('objectguid')) ?? [];
    expect(asked).toHaveLength(2);
    for (const filter of asked) expect(textOf(filter)).not.toContain('{username}');
  });

  it('is read up to a limit per request, not per connection', {
    timeout: 300_000,
  }, async () => {
    const entry = { dn: DN, attributes: { ...alice, memberOf: ['x'.repeat(100 * 1024)] } };
    let entries = Array.from({ length: 100 }, () => entry);
    const large = await startFakeDirectory(PASSWORD, () => entries);
    try {
      const ofEntry = { groups: { from: 'member_of', nested: 'no', filter: '(objectClass=group)' } };
      const settings = LDAP_SETTINGS.schema.parse({ ...(await start({ objectSid: [] })), ...ofEntry });
      const ids = [...Array.from({ length: 60 }, (_, i) => `entry-${i}`), GUID.toString('hex')];
      const ask = () =>
        lookFor(settings, { url: large.url, start_tls: false }, { ids, signal: AbortSignal.timeout(120_000) });
      expect([...(await ask()).keys()]).toEqual([GUID.toString('hex')]);
      entries = [...entries, ...entries];
      await expect(ask()).rejects.toMatchObject({ step: 'search' });
    } finally {
      await large.close();
    }
  });
});
