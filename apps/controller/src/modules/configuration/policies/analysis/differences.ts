import { Buffer } from 'node:buffer';
import type { JsonValue } from '@flotilla/envoy-api';
import { parsePolicyDocument, wholePolicySchema } from '@flotilla/policy';
import * as z from 'zod';
import { type AuditedDiff, diffForAudit } from '../../../../platform/http/audit-diff.ts';
import type { StoredPolicyFile } from '../tables.ts';
import { fileNameOf } from './model.ts';
import { isEncrypted } from './policy-files.ts';

/** The comparable content of a policy; files by name and size, since they may be large. */
export type ComparablePolicy = {
  readonly description: string | null;
  readonly text: string;
  readonly files: string[];
};

export function toComparable({
  description,
  text,
  files,
}: {
  readonly description: string | null;
  readonly text: string;
  readonly files: readonly StoredPolicyFile[];
}): ComparablePolicy {
  return { description, text, files: files.map(describeFile) };
}

function describeFile(file: StoredPolicyFile): string {
  if (isEncrypted(file)) return `${file.path} (secret, ${file.bytes} bytes, given ${file.updated_at})`;
  return `${file.path} (${Buffer.byteLength(file.content_base64, 'base64')} bytes)`;
}

const recordedSchema = z.strictObject({
  description: z.string().nullable(),
  document: wholePolicySchema,
  files: z.array(z.string()),
});

/** The changes of a write for the audit entry: compares the parsed documents without their secrets. */
export function diffPolicies(name: string, before: ComparablePolicy | undefined, after: ComparablePolicy): AuditedDiff {
  return diffForAudit(before && toRecorded(name, before), toRecorded(name, after), recordedSchema);
}

function toRecorded(name: string, { description, text, files }: ComparablePolicy) {
  const parsed = parsePolicyDocument({ path: fileNameOf(name), content: text });
  const document = parsed.ok ? (parsed.value as JsonValue) : null;
  return { description, document, files };
}
