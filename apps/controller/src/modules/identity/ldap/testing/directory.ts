import { Buffer } from 'node:buffer';
import { type LdapServer, startLdapServer } from '@flotilla/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { createTestController, type TestController } from '../../../../testing/controller.ts';

/** The password of everybody in it. */
export const PASSWORD = 'In-The-Directory-7';

const person = (uid: string, more = '', rdn = `uid=${uid}`) => `
dn: ${rdn},ou=people,dc=example,dc=org
objectClass: inetOrgPerson
cn: ${uid}
sn: ${uid}
uid: ${uid}
userPassword: ${PASSWORD}
mail: ${uid}@example.org
${more}`;

const group = (cn: string, ...members: string[]) => `
dn: cn=${cn},ou=groups,dc=example,dc=org
objectClass: groupOfNames
cn: ${cn}
${members.map((member) => `member: ${member},dc=example,dc=org`).join('\n')}
`;

/** People and groups of the test directory. */
export const ENTRIES = `
dn: ou=people,dc=example,dc=org
objectClass: organizationalUnit
ou: people

dn: ou=groups,dc=example,dc=org
objectClass: organizationalUnit
ou: groups
${person('alice')}
${person('bob', 'memberOf: cn=operators,ou=groups,dc=example,dc=org\n')}
${person('carol')}
${person('dora')}
${person('erika')}
${person('twin', '', 'cn=one')}
${person('twin', '', 'cn=two')}
${person('mallory')}
${person('dee')}
${person('owner-of-all')}
${person('zoe', `uid:: ${Buffer.from('zoë').toString('base64')}\n`)}
${group('operators', 'uid=alice,ou=people', 'uid=bob,ou=people', 'uid=carol,ou=people', 'uid=dora,ou=people', 'uid=erika,ou=people', 'uid=owner-of-all,ou=people', 'uid=dee,ou=people')}
${group('night-shift', 'cn=operators,ou=groups')}
${group('loop', 'cn=night-shift,ou=groups', 'cn=loop,ou=groups')}
`;

/** Settings for this directory. `project`: its operators are editors there. */
export function describeDirectory(ldap: LdapServer, project: string, change: Record<string, unknown> = {}) {
  return {
    enabled: true,
    title: 'Example Inc.',
    servers: [{ url: ldap.url, start_tls: true }],
    ca: ldap.ca,
    bind_dn: ldap.bindDn,
    bind_password: ldap.bindPassword,
    base_dn: ldap.baseDn,
    groups: { from: 'search', nested: 'walk' },
    mapping: { rules: [{ group: `cn=operators,ou=groups,${ldap.baseDn}`, project, role: 'editor' }] },
    ...change,
  };
}

/** Starts a controller and a directory, which is not configured yet. */
export function stageDirectory() {
  let ldap: LdapServer;
  let t: TestController;

  beforeAll(async () => {
    ldap = await startLdapServer(ENTRIES);
    t = await createTestController();
  });
  afterAll(async () => {
    await t?.close();
    await ldap?.close();
  });

  return {
    get ldap() {
      return ldap;
    },
    get t() {
      return t;
    },
    describe: (change: Record<string, unknown> = {}) => describeDirectory(ldap, t.project, change),
    /** Stores the settings with the given changes. */
    async configure(change: Record<string, unknown> = {}): Promise<void> {
      const configuration = describeDirectory(ldap, t.project, change);
      const answer = await t.owner.call('PUT', '/api/v3/setting/ldap-config', configuration);
      expect(answer.body, JSON.stringify(answer.body)).toMatchObject({ key: 'ldap' });
    },
    /** Signs in over the API. */
    signIn: (username: string, password = PASSWORD, realm = 'ldap') =>
      t.app.inject({ method: 'POST', url: '/auth/login', payload: { username, password, realm } }),
  };
}
