import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { up } from './0040-host-access.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Name of a writer -> whether documents that they wrote before the upgrade may use the host after it. */
const WRITERS: Record<string, boolean> = {
  root: true,
  'project-owner': true,
  'owner-token': true,
  admin: false,
  editor: false,
  'former-owner': false,
  'inactive-owner': false,
  'owner-elsewhere': false,
  'expired-token': false,
  'editor-token': false,
  'owner-token-of-an-editor': false,
  // An account and a token of one name: nobody can tell which of them wrote the document.
  'shared-name': false,
  nobody: false,
  system: false,
};

test('an upgrade trusts documents only where every possible writer is an owner now (attacks 1 and 2)', async () => {
  const { owner } = database;
  await sql`alter table documents drop column host_access`.execute(owner);
  const [project, other] = [await addProject('shop'), await addProject('other')];
  const people: Record<string, { role?: string; isOwner?: boolean; active?: boolean; in?: string }> = {
    root: { isOwner: true },
    'project-owner': { role: 'owner' },
    admin: { role: 'admin' },
    editor: { role: 'editor' },
    'former-owner': { role: 'viewer' },
    'inactive-owner': { role: 'owner', active: false },
    'owner-elsewhere': { role: 'owner', in: other },
    'shared-name': { role: 'owner' },
  };
  for (const [name, { role, isOwner = false, active = true, in: where = project }] of Object.entries(people)) {
    await sql`insert into users (id, username, is_owner, active, password_hash, password_changed_at, created_at, updated_at)
      values (gen_random_uuid(), ${name}, ${isOwner}, ${active}, 'x', now(), now(), now())`.execute(owner);
    if (role === undefined) continue;
    await sql`insert into memberships (project_id, user_id, role, created_at)
      select ${where}, id, ${role}, now() from users where username = ${name}`.execute(owner);
  }
  await addToken('owner-token', 'owner', 'project-owner');
  await addToken('expired-token', 'owner', 'project-owner', '2020-01-01');
  await addToken('editor-token', 'editor', 'project-owner');
  await addToken('owner-token-of-an-editor', 'owner', 'editor');
  await addToken('shared-name', 'editor', 'project-owner');
  for (const name of Object.keys(WRITERS)) {
    await sql`insert into documents (id, project_id, version, collection, name, type, resource, created_at, updated_at, updated_by)
      values (gen_random_uuid(), ${project}, '1.39.3', 'routes', ${name}, 'x', '{}', now(), now(), ${name})`.execute(
      owner,
    );
  }

  // A migration knows no tables: theirs are of another time.
  await up(owner as unknown as Kysely<unknown>);

  const { rows } = await sql<{ name: string; host_access: boolean }>`
    select name, host_access from documents order by name`.execute(owner);
  expect(Object.fromEntries(rows.map(({ name, host_access }) => [name, host_access]))).toEqual(WRITERS);
  const { rows: later } = await sql<{ host_access: boolean }>`
    insert into documents (id, project_id, version, collection, name, type, resource, created_at, updated_at, updated_by)
    values (gen_random_uuid(), ${project}, '1.39.3', 'routes', 'later', 'x', '{}', now(), now(), 'root')
    returning host_access`.execute(owner);
  expect(later).toEqual([{ host_access: false }]);

  async function addProject(name: string): Promise<string> {
    const { rows: made } = await sql<{ id: string }>`insert into projects (id, name, created_at, updated_at)
      values (gen_random_uuid(), ${name}, now(), now()) returning id`.execute(owner);
    return made[0]?.id ?? '';
  }

  async function addToken(name: string, role: string, issuedTo: string, expiresAt: string | null = null) {
    await sql`with token as (
        insert into api_tokens (id, project_id, name, role, created_at, expires_at)
        values (gen_random_uuid(), ${project}, ${name}, ${role}, now(), ${expiresAt}) returning id)
      insert into token_secrets (id, hash, token_kind, token_id, project_id, issued_to, prefix, created_at)
      select gen_random_uuid(), sha256(${name}::bytea), 'api', token.id, ${project}, users.id, 'x', now()
      from token, users where username = ${issuedTo}`.execute(owner);
  }
});
