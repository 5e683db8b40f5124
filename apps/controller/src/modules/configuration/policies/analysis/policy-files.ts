import type { EncryptedPolicyFile, StoredPolicyFile } from '../tables.ts';

/** A file of a policy with its content, secret or not: for checks and bundles, never for an answer. */
export interface OpenFile {
  readonly path: string;
  readonly content_base64: string;
  /** The content was stored encrypted and may only be stored encrypted again. */
  readonly wasSealed: boolean;
}

export function isEncrypted(file: StoredPolicyFile): file is EncryptedPolicyFile {
  return 'sealed_base64' in file;
}
