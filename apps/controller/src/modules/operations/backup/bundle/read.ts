import { type BundleKind, failBackup } from '@flotilla/contract';
import type { JsonObject } from '@flotilla/envoy-api';
import { AppError } from '@flotilla/kit';
import type * as z from 'zod';
import { type CheckedKept, checkKept } from '../../../../platform/settings/index.ts';
import type { ExportDeps } from '../export.ts';
import type { Header } from '../format/index.ts';
import { type Opening, readWhole } from '../service.ts';
import type { BackupRecord } from '../store.ts';
import {
  BUNDLE_SECTIONS,
  checkManifest,
  type DocumentManifest,
  documentManifest,
  failManifest,
  type PolicyManifest,
  policyManifest,
  type ServiceManifest,
  type SettingManifest,
  serviceManifest,
  settingManifest,
} from './manifests.ts';

const UNPACKED_MAX_BYTES = 1024 * 1024 * 1024;
/** Limits the memory of a bundle, which is held while it is applied. The count needs a limit, too: an empty manifest is two bytes. */
const HELD_MAX_CHARS = 256 * 1024 * 1024;
const MANIFESTS_MAX = 100_000;
const SECTIONS: ReadonlySet<string> = new Set(BUNDLE_SECTIONS);

export interface Bundle {
  readonly header: Header;
  readonly documents: readonly DocumentManifest[];
  readonly policies: readonly PolicyManifest[];
  readonly services: readonly ServiceManifest[];
  readonly settings: readonly CheckedKept[];
}

/** Verifies the whole file and validates every manifest in it. Throws a `backup.*` error that names the defect. */
export async function readBundle(
  deps: ExportDeps,
  backup: Pick<BackupRecord, 'file'>,
  opening: Opening,
): Promise<Bundle> {
  const rows = new Map<string, unknown[]>();
  const held = { manifests: 0, chars: 0 };
  const { header } = await readWhole(deps, backup, opening, {
    maxBytes: UNPACKED_MAX_BYTES,
    onRow: async (section, row) => {
      if (!SECTIONS.has(section)) return;
      held.manifests += 1;
      held.chars += JSON.stringify(row).length;
      if (held.manifests > MANIFESTS_MAX) throw failBackup('backup.too_large', { what: `${MANIFESTS_MAX} manifests` });
      if (held.chars > HELD_MAX_CHARS) throw failBackup('backup.too_large', { what: `${HELD_MAX_CHARS} characters` });
      const known = rows.get(section);
      if (known) known.push(row);
      else rows.set(section, [row]);
    },
  });
  requireProject(header, deps.migrations);
  const all = <T>(section: BundleKind, schema: z.ZodType<T>) =>
    (rows.get(section) ?? []).map((row) => checkManifest(schema, row));
  return {
    header,
    documents: all('documents', documentManifest),
    policies: all('policies', policyManifest),
    services: all('services', serviceManifest),
    settings: all('settings', settingManifest).map(readSetting),
  };
}

function requireProject({ kind, migrations, app_version }: Header, ours: readonly string[]): void {
  if (kind !== 'project') throw failBackup('backup.wrong_kind', { kind: 'a whole installation' });
  const known = new Set(ours);
  if (migrations.some((name) => !known.has(name))) throw failBackup('backup.too_new', { app_version });
}

function readSetting({ key, name, value, secrets }: SettingManifest): CheckedKept {
  try {
    const kept = checkKept({ key, name, value: value as JsonObject, secrets: new Map(Object.entries(secrets)) });
    if (!kept) throw failManifest(`${key} is a setting of the installation`);
    return kept;
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'backup.tampered') throw error;
    throw failManifest(error.message);
  }
}
