import { Buffer } from 'node:buffer';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { expect, vi } from 'vitest';
import type { TestCaller, TestController } from '../../../../testing/controller.ts';
import { uploadFile } from '../../../../testing/upload.ts';
import { sectionOf, writeTestBackup } from '../format/testing/backup.ts';
import { openBackupSecrets } from '../secrets.ts';

export const BASE = '/api/v3/setting/maintenance';

/** A policy named `guard` with a secret in the file `keys/shared.key`. */
export const SECRET_POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: guard }
spec:
  domains:
    - hosts: [guard.example.com]
      policy: { engines: { jwt: { algorithms: [HS256], hmac_secret_file: keys/shared.key } } }
`;

export const SECRET_FILES = [
  { path: 'keys/shared.key', content_base64: Buffer.from('a secret of thirty-two characters!').toString('base64') },
];

/** Creates a backup and waits until it is ready. `query` is `?project=...`, or empty for the installation. */
export async function makeBackup(caller: TestCaller, query: string, body: object) {
  const created = await caller.call('POST', `${BASE}/backup/export${query}`, body);
  expect(created.status, JSON.stringify(created.body)).toBe(202);
  const { id } = created.body.backup;
  return vi.waitFor(
    async () => {
      const { body: view } = await caller.call('GET', `${BASE}/backups/${id}${query}`);
      expect(view.status).toBe('ready');
      return view;
    },
    { interval: 100 },
  );
}

export const uploadBackup = (t: TestController, caller: TestCaller, query: string, file: Buffer) =>
  uploadFile(t, caller, { url: `${BASE}/backup/uploads${query}`, file, method: 'PUT' });

export async function fetchFile(t: TestController, caller: TestCaller, query: string, id: string): Promise<Buffer> {
  const answer = await t.app.inject({
    method: 'GET',
    url: `${BASE}/backups/${id}/file${query}`,
    headers: { authorization: `Bearer ${caller.token}` },
  });
  expect(answer.statusCode).toBe(200);
  return answer.rawPayload;
}

/** Writes a backup with any content, signed by the installation itself, so that only its content can be refused. */
export async function forgeBackup(
  t: TestController,
  sections: Readonly<Record<string, readonly unknown[]>>,
  more: Partial<Parameters<typeof writeTestBackup>[0]> = {},
): Promise<Buffer> {
  const {
    signingKey: privateKey,
    publicKey: publicDer,
    fingerprint,
    secret,
  } = await openBackupSecrets(t.controller.keyring);
  return writeTestBackup({
    signer: { privateKey, publicDer, fingerprint },
    protection: { kind: 'installation', secret },
    sections: Object.entries(sections).map(([name, rows]) => sectionOf(name, rows)),
    ...more,
  });
}

/** Tables that change in the background, or that record refused requests. */
const VOLATILE =
  /^(audit_|outbox|backups|controllers|leases|job|session|spent_|idempotency_|storage_|client_stats|sign_in_|alert)/;

/** Returns a digest of the rows of each table. */
export async function digestTables(owner: Db): Promise<Record<string, string>> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    order by 1`.execute(owner);
  const digests: Record<string, string> = {};
  for (const { name } of tables) {
    if (VOLATILE.test(name)) continue;
    const { rows } = await sql<{ digest: string }>`
      select count(*) || ' ' || coalesce(md5(string_agg(one::text, ',' order by one::text)), '') as digest
      from ${sql.table(name)} one`.execute(owner);
    digests[name] = rows[0]?.digest ?? '';
  }
  return digests;
}

export const dryRun = (caller: TestCaller, query: string, body: object) =>
  caller.call('POST', `${BASE}/backup/import${query}&dry_run=true`, body);

/** Starts a restore and waits until its job has ended. Returns the job and the restore. */
export async function restoreBackup(caller: TestCaller, query: string, body: object) {
  const begun = await caller.call('POST', `${BASE}/backup/import${query}`, body);
  expect(begun.status, JSON.stringify(begun.body)).toBe(202);
  return endOfRestore(caller, query, begun.body);
}

export async function endOfRestore(
  caller: TestCaller,
  query: string,
  { restore, job }: { readonly restore: string; readonly job: { readonly id: string } },
) {
  const ended = await vi.waitFor(
    async () => {
      const { body } = await caller.call('GET', `/api/v3/jobs/${job.id}${query}`);
      expect(body.ended_at, JSON.stringify(body)).not.toBeNull();
      return body;
    },
    { interval: 50 },
  );
  const { body } = await caller.call('GET', `${BASE}/backup/restores/${restore}${query}`);
  return { job: ended, body };
}
