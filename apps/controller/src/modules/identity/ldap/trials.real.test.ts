import { describe, expect, it } from 'vitest';
import { PASSWORD, stageDirectory } from './testing/directory.ts';

const here = stageDirectory();
const { configure, describe: document } = here;

describe('a test of unsaved settings', () => {
  const test = (body: unknown) => here.t.owner.call('POST', '/api/v3/setting/documents/ldap/test', body);

  it('reports which step fails, server by server', async () => {
    const good = await test(document());
    expect(good.body).toMatchObject({ ok: true });
    expect(good.body.steps.map(({ name }: { name: string }) => name.split(' ')[0])).toEqual(['tls', 'bind']);
    const wrong = await test(document({ bind_password: 'not it' }));
    expect(wrong.body).toMatchObject({ ok: false, steps: [{ ok: true }, { ok: false }] });
    expect(wrong.body.steps[1].name).toMatch(/^bind /);
    expect(JSON.stringify(wrong.body)).not.toContain('not it');
    const away = await test(document({ servers: [{ url: 'ldaps://localhost:1' }] }));
    expect(away.body.steps).toMatchObject([{ ok: false, name: 'connect ldaps://localhost:1' }]);
    const clear = await test(document({ servers: [{ url: 'ldap://directory.example', start_tls: false }] }));
    expect(clear.status).toBe(400);
  });

  it('sends the stored password nowhere else', async () => {
    await configure();
    const { bind_password: _, ...elsewhere } = document({ servers: [{ url: 'ldaps://localhost:1' }] });
    expect((await test(elsewhere)).body).toMatchObject({ code: 'setting.secrets_again' });
    const { bind_password: __, ...same } = document();
    expect((await test(same)).body).toMatchObject({ ok: true });
  });
});

describe('a test of a sign-in', () => {
  const test = (body: object, caller = here.t.owner) =>
    caller.call('POST', '/api/v3/setting/ldap-config/test-auth', { username: 'alice', password: PASSWORD, ...body });

  it('shows the person and the resulting roles, and stores nothing', async () => {
    await here.t.owner.call('DELETE', '/api/v3/setting/ldap-config');
    const before = await here.t.database.db.selectFrom('users').select('id').execute();
    const answer = await test({ username: 'dora', configuration: document() });
    expect(answer.body).toMatchObject({
      ok: true,
      person: {
        username: 'dora',
        dn: `uid=dora,ou=people,${here.ldap.baseDn}`,
        roles: [{ project: here.t.project, role: 'editor' }],
      },
    });
    expect(await here.t.database.db.selectFrom('users').select('id').execute()).toHaveLength(before.length);
  });

  it('reports the step at which it ends, and nothing that was typed', async () => {
    const wrong = await test({ password: 'typed-wrong', configuration: document() });
    expect(wrong.body).toMatchObject({ ok: false, person: null });
    expect(wrong.body.steps.at(-1)).toMatchObject({ ok: false, name: `password ${here.ldap.url}` });
    const nobody = await test({ username: 'nobody', configuration: document() });
    expect(nobody.body.steps.at(-1)).toMatchObject({ ok: false, name: `search ${here.ldap.url}` });
    expect(JSON.stringify([wrong.body, nobody.body])).not.toContain('typed-wrong');
    const audit = await here.t.database.db
      .selectFrom('audit_log')
      .selectAll()
      .where('action', '=', 'setting.test')
      .execute();
    expect(audit.length).toBeGreaterThan(0);
    for (const secret of ['typed-wrong', PASSWORD, here.ldap.bindPassword])
      expect(JSON.stringify(audit)).not.toContain(secret);
  });

  it('is for owners of the installation', async () => {
    const admin = await here.t.createMember('admin');
    expect((await test({}, admin)).status).toBe(403);
  });
});
