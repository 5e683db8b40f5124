import { Buffer } from 'node:buffer';
import { failBackup } from '@flotilla/contract';
import { type Db, listMigrations, type Tx } from '@flotilla/db';
import { createSecret } from '@flotilla/kit';
import { recordAudit } from '../../../platform/audit/index.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { hashPassword } from '../../identity/public.ts';
import { fingerprintOf, type Header, type Manifest, readBackup } from './format/index.ts';
import { giveFirstOwner } from './owner-store.ts';
import {
  countOccupied,
  dropUnsealed,
  insertRows,
  listColumns,
  lockRebuild,
  outrunAgents,
  raiseSequences,
} from './rows-store.ts';
import type { BackupRow } from './sealed.ts';
import type { BackupSection } from './sections.ts';
import { nameBackup } from './store.ts';

export interface RebuildOrder {
  /** As the owner of the tables, in the scope of everything. */
  readonly db: Db;
  /** Of the new installation: what the backup held open is sealed with its keys. */
  readonly keyring: Keyring;
  /** The tables that backups hold. */
  readonly sections: readonly BackupSection[];
  /** The file, from its beginning, as often as asked for. */
  open(): AsyncIterable<Buffer>;
  readonly passphrase: string | undefined;
  /** Fingerprint of the installation that was lost. */
  readonly trusted: string | undefined;
  /** Of a backup without secrets: what it throws leaves the database empty. */
  keepPassword(password: string): Promise<void>;
}

export interface Rebuilt {
  readonly header: Header;
  readonly rows: number;
  /** Of a backup without secrets, which nobody could sign in to: an owner with a new password. */
  readonly owner: { readonly username: string; readonly password: string } | undefined;
}

/**
 * Puts a whole installation into an empty database: same ids, same certificate authority, so that its agents come back as if
 * nothing had happened. The file is proven first, and read a second time in the one transaction that writes.
 */
export async function rebuildInstallation(order: RebuildOrder): Promise<Rebuilt> {
  const { db, passphrase } = order;
  const reading = { passphrase, trusted: new Set(order.trusted === undefined ? [] : [order.trusted.toLowerCase()]) };
  await requireEmpty(db);
  const { header } = await readBackup(order.open(), reading);
  requireFitting(header);
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
    await outrunAgents(tx);
    const username = passwordHash === undefined ? undefined : await giveFirstOwner(tx, passwordHash, new Date());
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

/** Of a whole installation. */
export function listSections(sections: readonly BackupSection[]): ReadonlySet<string> {
  return new Set(sections.map(({ table }) => table));
}

/** Rows fit into the tables that they came from, and into no others. */
export function requireFitting({ kind, app_version, migrations }: Header): void {
  if (kind !== 'installation') throw failBackup('backup.wrong_kind', { kind: 'one project' });
  const ours = listMigrations();
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

/** Writes rows in the order in which they come, some hundred in a statement. */
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
    if (!section) throw failBackup('backup.tampered', { reason: 'it has a section that we do not know' });
    if (table !== this.#table) {
      await this.flush();
      this.#table = table;
      const known = await listColumns(this.#tx, table);
      this.#columns = known.filter((name) => Object.hasOwn(row, name));
    }
    const closed = section.sealed && !this.#secretFree ? section.sealed.close(this.#keyring, row) : row;
    // Of what is missing nothing says any more that it is there.
    const bare = this.#secretFree && Object.hasOwn(row, 'private') ? { private: [] } : {};
    this.#rows.push({ ...closed, ...bare, ...section.restored });
    this.#bytes += JSON.stringify(row).length;
    if (this.#rows.length >= BATCH_ROWS || this.#bytes >= BATCH_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#rows.length === 0) return;
    await insertRows(this.#tx, this.#table, { columns: this.#columns, rows: this.#rows });
    // Entries of the record are sealed already, or wait in a section of their own.
    if (this.#table === 'audit_log') await dropUnsealed(this.#tx);
    this.#rows = [];
    this.#bytes = 0;
  }
}
