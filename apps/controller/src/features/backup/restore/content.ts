import { Buffer } from 'node:buffer';
import { applyDocumentSchema, createPolicySchema, failBackup, serviceWriteSchema } from '@flotilla/contract';
import { listMigrations } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import { z } from 'zod';
import { fullResource } from '../../documents/index.ts';
import type { ExportDeps } from '../export.ts';
import type { Header } from '../format/index.ts';
import type { BackupRow } from '../sealed.ts';
import { type Opening, readWhole } from '../service.ts';
import type { BackupRecord } from '../store.ts';

/** More than any project has; it is held in memory while it is restored. */
const PROJECT_MAX_BYTES = 256 * 1024 * 1024;
/** As many of the records that are taken: those that say nothing cost memory, too, and two bytes of the file. */
const PROJECT_MAX_RECORDS = 100_000;
const TAKEN: ReadonlySet<string> = new Set(['documents', 'policies', 'services']);

/** A record of the backup as somebody would write it now, and the id that it had. */
export interface Restorable<T> {
  readonly from: string;
  readonly body: T;
}

export type RestorableDocument = z.output<typeof applyDocumentSchema>;
export type RestorablePolicy = z.output<typeof createPolicySchema> & { readonly text: string };
export type RestorableService = z.output<typeof serviceWriteSchema>;

export interface MissingSecret {
  readonly kind: string;
  readonly name: string;
  readonly path: string;
}

/** What a backup of a project holds that can be put into another. */
export interface ProjectContent {
  readonly header: Header;
  readonly documents: readonly Restorable<RestorableDocument>[];
  readonly policies: readonly Restorable<RestorablePolicy>[];
  readonly services: readonly Restorable<RestorableService>[];
  readonly missing: readonly MissingSecret[];
}

/** Proves the whole file first; every record of it must then be one that a person could have written. */
export async function readContent(
  deps: ExportDeps,
  backup: Pick<BackupRecord, 'file'>,
  opening: Opening,
): Promise<ProjectContent> {
  const rows = new Map<string, BackupRow[]>();
  let count = 0;
  const { header } = await readWhole(deps, backup, opening, {
    maxBytes: PROJECT_MAX_BYTES,
    onRow: async (section, row) => {
      if (!TAKEN.has(section)) return;
      count += 1;
      if (count > PROJECT_MAX_RECORDS) throw failBackup('backup.too_large', { what: `${PROJECT_MAX_RECORDS} records` });
      const known = rows.get(section);
      if (known) known.push(row as BackupRow);
      else rows.set(section, [row as BackupRow]);
    },
  });
  if (header.kind !== 'project') throw failBackup('backup.wrong_kind', { kind: 'a whole installation' });
  const known = new Set(listMigrations());
  if (header.migrations.some((name) => !known.has(name)))
    throw failBackup('backup.too_new', { app_version: header.app_version });
  const missing: MissingSecret[] = [];
  const of = (section: string) => rows.get(section) ?? [];
  return {
    header,
    documents: of('documents').map((row) => readDocument(row, missing)),
    policies: of('policies').map(readPolicy),
    services: of('services').map(readService),
    missing,
  };
}

const id = z.uuid();
const documentRow = z.looseObject({
  id,
  resource: z.record(z.string(), z.unknown()),
  sealed: z.base64().nullable(),
  private: z.array(z.looseObject({ path: z.string() })),
});
const partsSchema = z.array(z.strictObject({ path: z.string().max(4096), value: z.json() }));

function readDocument(row: BackupRow, missing: MissingSecret[]): Restorable<RestorableDocument> {
  const { id: from, resource, sealed, private: places } = check(documentRow, row);
  const { collection, name, version, type, description, labels } = row;
  const parts = sealed === null ? [] : check(partsSchema, JSON.parse(Buffer.from(sealed, 'base64').toString()));
  if (sealed === null)
    for (const { path } of places) missing.push({ kind: String(collection), name: String(name), path });
  const whole = fullResource({ content: { visible: resource as JsonObject }, parts });
  const body = check(applyDocumentSchema, { collection, name, version, type, description, labels, resource: whole });
  return { from, body };
}

const policyRow = z.looseObject({
  id,
  text: z.string(),
  files: z.array(
    z.looseObject({
      path: z.string(),
      content_base64: z.base64().optional(),
      open_base64: z.base64().optional(),
    }),
  ),
});

function readPolicy(row: BackupRow): Restorable<RestorablePolicy> {
  const { id: from, text, files } = check(policyRow, row);
  const given = files.map(({ path, content_base64, open_base64 }) => ({
    path,
    content_base64: open_base64 ?? content_base64,
  }));
  const body = check(createPolicySchema, { name: row.name, description: row.description, text, files: given });
  return { from, body: { ...body, text } };
}

const serviceRow = z.looseObject({ id, shield_threads: z.int(), shield_xff_trusted_hops: z.int() });

/** Without its clients: those are machines that belong to the project of before. */
function readService(row: BackupRow): Restorable<RestorableService> {
  const { id: from, shield_threads: threads, shield_xff_trusted_hops: xff_trusted_hops } = check(serviceRow, row);
  const { name, version, bootstrap, listeners, policies } = row;
  const shield = { threads, xff_trusted_hops };
  return { from, body: check(serviceWriteSchema, { name, version, bootstrap, listeners, policies, shield }) };
}

/** Signed or not: what a row says is taken as little on trust as what a request says. */
function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  throw failBackup('backup.tampered', {
    reason: `it holds a record that nobody can have written: ${first?.path.join('.')} ${first?.message}`,
  });
}
