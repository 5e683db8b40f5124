import { Buffer } from 'node:buffer';
import type { Db } from '@flotilla/db';
import * as z from 'zod';
import type { Cipher } from './cipher.ts';
import { installationContext } from './encryption-contexts.ts';

const valueSchema = z.object({ sealed: z.base64() });

/** Returns the secret stored under `name`, and creates it if it does not exist. Concurrent callers get the same one. */
export async function keepSecret(db: Db, cipher: Cipher, name: string, create: () => Buffer): Promise<Buffer> {
  const context = installationContext(name);
  const sealed =
    (await readEncrypted(db, name)) ?? (await insertEncrypted(db, name, cipher.encrypt(create(), context)));
  return cipher.decrypt(sealed, context);
}

async function insertEncrypted(db: Db, name: string, sealed: Buffer): Promise<Buffer> {
  await db
    .insertInto('installation')
    .values({ name, value: JSON.stringify({ sealed: sealed.toString('base64') }), updated_at: new Date() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const stored = await readEncrypted(db, name);
  if (!stored) throw new Error(`installation secret ${name} was not stored`);
  return stored;
}

async function readEncrypted(db: Db, name: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom('installation').select('value').where('name', '=', name).executeTakeFirst();
  return row && Buffer.from(valueSchema.parse(row.value).sealed, 'base64');
}
