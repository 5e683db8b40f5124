import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { type LdapServer, startLdapServer } from '@flotilla/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

const PASSWORD = 'In-The-Directory-7';
const ENTRIES = `
dn: ou=people,dc=example,dc=org
objectClass: organizationalUnit
ou: people

dn: uid=ann,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
cn: ann
sn: ann
uid: ann
mail: ann@example.org
memberOf: cn=operators,dc=example,dc=org
userPassword: ${PASSWORD}
`;

let ldap: LdapServer;
let t: TestController;
let terminal: TestTerminal;
beforeAll(async () => {
  ldap = await startLdapServer(ENTRIES);
  t = await createTestController();
  terminal = await openOwnersTerminal(t);
});
afterAll(async () => {
  await terminal?.close();
  await t?.close();
  await ldap?.close();
});

const attempt = (password: string, ...argv: string[]) =>
  terminal.run(['ldap', 'try', 'ann', '--password-stdin', ...argv], { stdin: `${password}\n` });

async function writeSettings(): Promise<string> {
  const file = join(terminal.folder, 'ldap.json');
  const settings = {
    enabled: true,
    servers: [{ url: ldap.url, start_tls: true }],
    ca: ldap.ca,
    bind_dn: ldap.bindDn,
    bind_password: ldap.bindPassword,
    base_dn: ldap.baseDn,
    groups: { from: 'member_of' },
    mapping: { rules: [{ group: `cn=operators,${ldap.baseDn}`, project: t.project, role: 'editor' }] },
  };
  await writeFile(file, JSON.stringify(settings));
  return file;
}

it('a sign-in with the directory is tried with settings that are not stored', async () => {
  const file = await writeSettings();
  const tried = await attempt(PASSWORD, '-f', file);
  expect(tried).toMatchObject({ code: EXIT.ok, err: '' });
  expect(tried.out).toContain('ann is uid=ann,ou=people,dc=example,dc=org\n');
  expect(tried.out).toContain('roles   editor in default\n');
  expect(JSON.parse((await attempt(PASSWORD, '-f', file, '--json')).out)).toMatchObject({
    ok: true,
    person: { email: 'ann@example.org' },
  });
  const wrong = await attempt('typed-wrong', '-f', file);
  expect(wrong).toMatchObject({ code: EXIT.failed, out: expect.stringContaining('FAIL  password') });
  expect(wrong.out + wrong.err).not.toContain('typed-wrong');
});

it('wrong settings and wrong usage are reported', async () => {
  expect((await attempt(PASSWORD, '-f', join(terminal.folder, 'none.json'))).err).toContain('there is no such file');
  const file = join(terminal.folder, 'broken.json');
  await writeFile(file, '{"bind_password": "hush-hush-271828"');
  const broken = await attempt(PASSWORD, '-f', file);
  expect(broken).toMatchObject({ code: EXIT.usage });
  expect(broken.err).not.toContain('hush-hush-271828');
  await writeFile(file, '{"servers": "ldap"}');
  expect((await attempt(PASSWORD, '-f', file)).err).toContain('servers');
  expect(await terminal.run(['ldap', 'try', 'ann'])).toMatchObject({
    code: EXIT.usage,
    err: expect.stringContaining('--password-stdin'),
  });
});
