import { Buffer } from 'node:buffer';
import { applyDocumentSchema, createPolicySchema, failBackup, serviceWriteSchema } from '@flotilla/contract';
import { listMigrations } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import { AppError } from '@flotilla/kit';
import * as z from 'zod';
import { fullResource } from '../../documents/index.ts';
import { type CheckedKept, checkKept } from '../../settings/index.ts';
import type { ExportDeps } from '../export.ts';
import { fingerprintOf, type Header } from '../format/index.ts';
import type { BackupRow } from '../sealed.ts';
import { type Opening, readWhole } from '../service.ts';
import type { BackupRecord } from '../store.ts';
import { type Absent, readAbsent } from './absent.ts';
import { check, failTampered, id, parseOpen, partsSchema } from './check.ts';
import { HeldRows } from './held-rows.ts';
import { type History, readHistory } from './history-rows.ts';
import type { RestorableMember } from './members.ts';
import type { People } from './people.ts';
import { readMembers, readPeople } from './people-rows.ts';
import { type RestorableSchedule, readSchedule } from './schedule-rows.ts';

/** What is unpacked; less of it is held in memory. */
const PROJECT_MAX_BYTES = 1024 * 1024 * 1024;

/** A record of the backup as somebody would write it now, and the id that it had. */
export interface Restorable<T> {
  readonly from: string;
  readonly body: T;
}

export type RestorableDocument = z.output<typeof applyDocumentSchema>;
export type RestorablePolicy = z.output<typeof createPolicySchema> & { readonly text: string };
export type RestorableService = z.output<typeof serviceWriteSchema>;

/** As plans and records call a document. */
export function nameDocument(body: { version: string; collection: string; name: string }): string {
  return `${body.version}/${body.collection}/${body.name}`;
}

export interface MissingSecret {
  /** The document's id in the backup. */
  readonly from: string;
  readonly kind: string;
  readonly name: string;
  readonly path: string;
}

/** What a backup of a project holds that can be put into another. */
export interface ProjectContent extends People {
  readonly header: Header;
  /** It was made here: people are the same by the same names. Of others nothing is taken that is about people. */
  readonly isOwn: boolean;
  readonly documents: readonly Restorable<RestorableDocument>[];
  readonly policies: readonly Restorable<RestorablePolicy>[];
  readonly services: readonly Restorable<RestorableService>[];
  readonly settings: readonly Restorable<CheckedKept>[];
  readonly schedules: readonly Restorable<RestorableSchedule>[];
  readonly members: readonly Restorable<RestorableMember>[];
  readonly history: History;
  readonly missing: readonly MissingSecret[];
  readonly absent: Absent;
}

/** Proves the whole file first; every record of it must then be one that a person could have written. */
export async function readContent(
  deps: ExportDeps,
  backup: Pick<BackupRecord, 'file'>,
  opening: Opening,
): Promise<ProjectContent> {
  const rows = new HeldRows();
  const { header, manifest } = await readWhole(deps, backup, opening, {
    maxBytes: PROJECT_MAX_BYTES,
    onRow: async (section, row) => rows.add(section, row),
  });
  if (header.kind !== 'project') throw failBackup('backup.wrong_kind', { kind: 'a whole installation' });
  const known = new Set(listMigrations());
  if (header.migrations.some((name) => !known.has(name)))
    throw failBackup('backup.too_new', { app_version: header.app_version });
  const missing: MissingSecret[] = [];
  const of = (section: string) => rows.of(section);
  const isOwn = fingerprintOf(Buffer.from(header.public_key, 'base64')) === deps.secrets.fingerprint;
  return {
    header,
    isOwn,
    ...(isOwn ? readPeople(of) : { groups: [], permissions: [] }),
    members: isOwn ? readMembers(of) : [],
    documents: of('documents').map((row) => readDocument(row, missing)),
    policies: of('policies').map(readPolicy),
    services: of('services').map(readService),
    settings: of('settings').flatMap(readSetting),
    schedules: of('job_schedules').map(readSchedule),
    history: readHistory(rows),
    missing,
    absent: readAbsent(rows, manifest.sections),
  };
}

const documentRow = z.looseObject({
  id,
  resource: z.record(z.string(), z.unknown()),
  sealed: z.base64().nullable(),
  private: z.array(z.looseObject({ path: z.string() })),
});

function readDocument(row: BackupRow, missing: MissingSecret[]): Restorable<RestorableDocument> {
  const { id: from, resource, sealed, private: places } = check(documentRow, row);
  const { collection, name, version, type, description, labels } = row;
  const parts = sealed === null ? [] : check(partsSchema, parseOpen(sealed));
  if (sealed === null)
    for (const { path } of places) missing.push({ from, kind: String(collection), name: String(name), path });
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

const settingRow = z.looseObject({
  id,
  key: z.string(),
  name: z.string(),
  revision: z.int(),
  value: z.record(z.string(), z.json()),
  sealed: z.base64().nullable(),
});
const secretsSchema = z.record(z.string(), z.string());

/** A row of revision 0 was never written. */
function readSetting(row: BackupRow): Restorable<CheckedKept>[] {
  const { id: from, key, name, revision, value, sealed } = check(settingRow, row);
  if (revision === 0) return [];
  const open = sealed === null ? {} : check(secretsSchema, parseOpen(sealed));
  const secrets = new Map(Object.entries(open));
  const body = written(() => checkKept({ key, name, value: value as JsonObject, secrets }));
  if (!body) throw failTampered('a setting of the installation');
  return [{ from, body }];
}

function written<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw failTampered(error.message);
  }
}
