import { applyDocumentSchema, type BundleKind, failBackup, nameSchema, serviceWriteSchema } from '@flotilla/contract';
import type { AppError } from '@flotilla/kit';
import * as z from 'zod';

/** A document in the form that `apply` accepts, with its private values. */
export const documentManifest = applyDocumentSchema.omit({ project: true, revision: true }).extend({
  /** Paths of the values that a backup without secrets leaves out. */
  private: z.array(z.string().max(4096)).optional(),
});
export type DocumentManifest = z.output<typeof documentManifest>;

export const policyManifest = z.strictObject({
  name: nameSchema,
  description: z.string().max(4096).nullable(),
  text: z.string(),
  files: z.array(z.strictObject({ path: z.string().max(1024), content_base64: z.base64() })).max(64),
  /** Paths of the files that a backup without secrets leaves out. */
  secret_files: z.array(z.string().max(1024)).max(64).optional(),
});
export type PolicyManifest = z.output<typeof policyManifest>;

/** Has no clients: a restore does not change the clients of a service. */
export const serviceManifest = serviceWriteSchema.omit({ project: true, clients: true });
export type ServiceManifest = z.output<typeof serviceManifest>;

export const settingManifest = z.strictObject({
  key: z.string(),
  /** Empty for a kind that has only one document. */
  name: z.string(),
  value: z.record(z.string(), z.json()),
  /** By their path in `value`. */
  secrets: z.record(z.string(), z.string()),
});
export type SettingManifest = z.output<typeof settingManifest>;

/** Sections are named after the tables that they are made from, in the order in which they are applied. */
export const BUNDLE_SECTIONS = ['documents', 'policies', 'services', 'settings'] as const satisfies BundleKind[];

export function nameDocument(body: { version: string; collection: string; name: string }): string {
  return `${body.version}/${body.collection}/${body.name}`;
}

/** Validates a manifest as strictly as a request: a signature proves who wrote the file, not that its content is valid. */
export function checkManifest<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  throw failManifest(`${first?.path.join('.')} ${first?.message}`);
}

export function failManifest(problem: string): AppError {
  return failBackup('backup.tampered', { reason: `it contains an invalid manifest: ${problem}` });
}
