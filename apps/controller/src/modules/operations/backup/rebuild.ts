import { Buffer } from 'node:buffer';
import { failBackup } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createSecret } from '@flotilla/kit';
import { recordAudit } from '../../../platform/audit/index.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { hashPassword } from '../../identity/public.ts';
import type { BackupRow } from './column-cipher.ts';
import { fingerprintOf, type Header, type Manifest, readBackup } from './format/index.ts';
import { setFirstOwnerPassword } from './owner-store.ts';
import {
  advanceGenerations,
  countOccupied,
  dropUnencrypted,
  insertRows,
  listColumns,
  lockRebuild,
  raiseSequences,
} from './rows-store.ts';
import type { BackupSection } from './sections.ts';
import { nameBackup } from './store.ts';

export interface RebuildOrder {
  /** Connected as the owner of the tables, with a scope that sees every row. */
  readonly db: Db;
  /** Keyring of the new installation; encrypts the secrets of the backup again. */
  readonly keyring: Keyring;
  readonly sections: readonly BackupSection[];
  /** Names of all migrations, in order. */
  readonly migrations: readonly string[];
  /** Opens the file from its beginning; is called twice. */
  open(): AsyncIterable<Buffer>;
  readonly passphrase: string | undefined;
  /** Fingerprint of the installation that was lost. */
  readonly trusted: string | undefined;
  /** Saves the owner's new password if the backup has no secrets. The database stays empty if this throws. */
  keepPassword(password: string): Promise<void>;
}

export interface Rebuilt {
  readonly header: Header;
  readonly rows: number;
  /** The owner with a new password, if the backup has no secrets: nobody else could sign in. */
  readonly owner: { readonly username: string; readonly password: string } | undefined;
}

/**
 * Restores a whole installation into an empty database, with the same ids and certificate authority, so that its agents connect
 * again without a change. Verifies the file first, then reads it again in the transaction that writes.
 */
export async function rebuildInstallation(order: RebuildOrder): Promise<Rebuilt> {
  const { db, passphrase } = order;
  const reading = { passphrase, trusted: new Set(order.trusted === undefined ? [] : [order.trusted.toLowerCase()]) };
  await requireEmpty(db);
  const { header } = await readBackup(order.open(), reading);
  requireSameSchema(header, order.migrations);
  const owner = header.secret_free ? { password: createSecret(18) } : undefined;
  const passwordHash = owner && (await hashPassword(owner.password));
  return db.transaction().execute(async (tx) => {
    await lockRebuild(tx);
    await requireEmpty(tx);
    const loader = new Loader({ tx, keyring: order.keyring, sections: order.sections, secretFree: header.secret_free });
    const { manifest } = await readBackup(order.open(), {
      ...reading,
      onRow: (section, row) => loader.add(section, row as BackupRow),
    });
    await loader.flush();
    await raiseSequences(tx, manifest.sequences);
    await advanceGenerations(tx);
    const username = passwordHash === undefined ? undefined : await setFirstOwnerPassword(tx, passwordHash, new Date());
    if (owner && username !== undefined) await order.keepPassword(owner.password);
    const rows = countRows(manifest);
    await recordRebuild(tx, header, rows);
    return { header, rows, owner: owner && username !== undefined ? { username, ...owner } : undefined };
  });
}

async function requireEmpty(db: Db | Tx): Promise<void> {
  const { users, projects } = await countOccupied(db);
  if (users + projects > 0) throw failBackup('backup.not_empty', { what: `${users} users and ${projects} projects` });
}

/** Names of the sections in the backup of an installation. */
export function listSections(sections: readonly BackupSection[]): ReadonlySet<string> {
  return new Set(sections.map(({ table }) => table));
}

/** Refuses a backup unless its tables have the same migrations as this version. */
export function requireSameSchema({ kind, app_version, migrations }: Header, ours: readonly string[]): void {
  if (kind !== 'installation') throw failBackup('backup.wrong_kind', { kind: 'one project' });
  if (migrations.some((name) => !ours.includes(name))) throw failBackup('backup.too_new', { app_version });
  if (ours.length > migrations.length)
    throw failBackup('backup.too_old', { app_version, migration: migrations.at(-1) ?? 'none' });
}

function countRows({ sections }: Manifest): number {
  return sections.reduce((sum, { rows }) => sum + rows, 0);
}

async function recordRebuild(tx: Tx, header: Header, rows: number): Promise<void> {
  const signer = fingerprintOf(Buffer.from(header.public_key, 'base64'));
  const name = nameBackup({ description: null, created_at: new Date(header.created_at) });
  await recordAudit(tx, {
    at: new Date(),
    actor: { kind: 'system', id: null, name: 'restore' },
    actorRole: undefined,
    projectId: undefined,
    action: 'backup.rebuild',
    outcome: 'done',
    status: 200,
    subject: { type: 'backup', id: header.id, name, changes: { made_at: header.created_at, signer, rows } },
  });
}

const BATCH_ROWS = 200;
const BATCH_BYTES = 4 * 1024 * 1024;

/** Inserts rows in the order of the backup, up to 200 per statement. */
class Loader {
  readonly #tx: Tx;
  readonly #keyring: Keyring;
  readonly #sections: ReadonlyMap<string, BackupSection>;
  readonly #secretFree: boolean;
  #table = '';
  #columns: readonly string[] = [];
  #rows: BackupRow[] = [];
  #bytes = 0;

  constructor(deps: { tx: Tx; keyring: Keyring; sections: readonly BackupSection[]; secretFree: boolean }) {
    this.#tx = deps.tx;
    this.#keyring = deps.keyring;
    this.#sections = new Map(deps.sections.map((section) => [section.table, section]));
    this.#secretFree = deps.secretFree;
  }

  async add(table: string, row: BackupRow): Promise<void> {
    const section = this.#sections.get(table);
    if (!section) throw failBackup('backup.tampered', { reason: 'it has an unknown section' });
    if (table !== this.#table) {
      await this.flush();
      this.#table = table;
      const known = await listColumns(this.#tx, table);
      this.#columns = known.filter((name) => Object.hasOwn(row, name));
    }
    const encrypted = section.cipher && !this.#secretFree ? section.cipher.encrypt(this.#keyring, row) : row;
    // Missing private values must not be listed as present.
    const withoutPrivate = this.#secretFree && Object.hasOwn(row, 'private') ? { private: [] } : {};
    this.#rows.push({ ...encrypted, ...withoutPrivate, ...section.restored });
    this.#bytes += JSON.stringify(row).length;
    if (this.#rows.length >= BATCH_ROWS || this.#bytes >= BATCH_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#rows.length === 0) return;
    await insertRows(this.#tx, this.#table, { columns: this.#columns, rows: this.#rows });
    // Restored audit entries are already sealed, or are in the section `audit_unsealed`.
    if (this.#table === 'audit_log') await dropUnencrypted(this.#tx);
    this.#rows = [];
    this.#bytes = 0;
  }
}
