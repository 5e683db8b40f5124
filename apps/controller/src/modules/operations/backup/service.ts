import { Buffer } from 'node:buffer';
import { type BackupView, failBackup, failSetting } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import type { RequestContext } from '../../../platform/http/context.ts';
import { actorName } from '../../../platform/http/context.ts';
import { isSystemOwner } from '../../../platform/http/guard.ts';
import { chooseProtection, type ExportDeps } from './export.ts';
import { BackupFolder } from './folder.ts';
import { fingerprintOf, type ReadBackup, type ReadOrder, readBackup, readHeader } from './format/index.ts';
import { type BackupRecord, countUploads, findBackup, insertBackup, nameBackup, toView } from './store.ts';

export interface Opening {
  readonly passphrase?: string | undefined;
  readonly trust_key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the project of the request, or null for the installation. */
export function placeOf(ctx: Pick<RequestContext, 'scope'>): string | null {
  return ctx.scope?.id ?? null;
}

/** Throws unless the backup is ready and this controller has its file. */
export async function requireReady(ctx: RequestContext, id: string, { folder }: ExportDeps): Promise<BackupRecord> {
  const row = await findBackup(ctx.db, placeOf(ctx), id);
  if (row.status !== 'ready') throw failBackup('backup.not_ready', { status: row.status });
  if (!(await folder.has(row.file))) throw failBackup('backup.file_elsewhere');
  return row;
}

/** Reads and verifies the whole file. */
export function readWhole(
  { folder, secrets }: ExportDeps,
  { file }: Pick<BackupRecord, 'file'>,
  { passphrase, trust_key, signal }: Opening,
  more: Pick<ReadOrder, 'onRow' | 'maxBytes'> = {},
): Promise<ReadBackup> {
  const trusted = new Set([secrets.fingerprint, ...(trust_key === undefined ? [] : [trust_key.toLowerCase()])]);
  return readBackup(folder.read(file), { passphrase, secret: secrets.secret, trusted, signal, ...more });
}

/** Returns the row of a backup that is not written yet. */
export function describeNew(
  ctx: Pick<RequestContext, 'now' | 'actor' | 'scope'>,
  { origin, secretFree, passphrase, description }: NewBackup,
  { secrets }: Pick<ExportDeps, 'secrets'>,
) {
  const id = createId(ctx.now.getTime());
  return {
    id,
    project_id: placeOf(ctx),
    origin,
    status: 'making' as const,
    description,
    secret_free: secretFree,
    protection: chooseProtection({ secretFree, passphrase }, secrets).kind,
    file: BackupFolder.nameOf(id),
    created_at: ctx.now,
    created_by: actorName(ctx),
  };
}

interface NewBackup {
  readonly origin: BackupRecord['origin'];
  readonly secretFree: boolean;
  readonly passphrase?: string | undefined;
  readonly description: string | null;
}

/** Only owners may set a passphrase, because it reveals every secret, and admins of a project cannot read its secrets. */
export function requireMaySetPassphrase(ctx: Pick<RequestContext, 'actor'>, passphrase: string | undefined): void {
  if (passphrase !== undefined && !isSystemOwner(ctx.actor)) throw failBackup('backup.owner_passphrase');
}

/** Each may have a gigabyte. Simultaneous uploads can exceed the limit, because each checks it before it is stored. */
const UPLOADS_MAX = 20;

/** Stores an uploaded file. Reads only its header, which says how the file is encrypted; nothing is verified. */
export async function storeUpload(deps: ExportDeps, ctx: RequestContext): Promise<BackupView> {
  if ((await countUploads(ctx.db, placeOf(ctx))) >= UPLOADS_MAX)
    throw failSetting('setting.too_many', { max: UPLOADS_MAX });
  const id = createId(ctx.now.getTime());
  const file = BackupFolder.nameOf(id);
  const written = await deps.folder.write(file, async (sink) => {
    for await (const chunk of ctx.upload) await sink(chunk);
  });
  try {
    const header = await readHeader(deps.folder.read(file));
    const signer = fingerprintOf(Buffer.from(header.public_key, 'base64'));
    const row = {
      id,
      project_id: placeOf(ctx),
      origin: 'uploaded' as const,
      status: 'ready' as const,
      description: null,
      secret_free: header.secret_free,
      protection: header.encryption.kind,
      file,
      bytes: written.bytes,
      sha256: written.sha256,
      header: JSON.stringify(header),
      created_at: ctx.now,
      created_by: actorName(ctx),
    };
    const { body } = await ctx.write(async (tx) => {
      const stored = await insertBackup(tx, row);
      const changes = { bytes: written.bytes, sha256: written.sha256, kind: header.kind, signer };
      return {
        reply: { body: toView(stored, deps.secrets.fingerprint) },
        audit: { type: 'backup', id, name: nameBackup(stored), changes },
      };
    });
    return body as BackupView;
  } catch (error) {
    await deps.folder.remove(file);
    throw error;
  }
}
