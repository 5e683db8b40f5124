import type { SealedPolicyFile, StoredPolicyFile } from '@flotilla/db';

/** A file of a policy with its content, secret or not: for checks and bundles, never for an answer. */
export interface OpenFile {
  readonly path: string;
  readonly content_base64: string;
  /** The content was stored encrypted and may only be stored encrypted again. */
  readonly wasSealed: boolean;
}

export function isSealed(file: StoredPolicyFile): file is SealedPolicyFile {
  return 'sealed_base64' in file;
}
