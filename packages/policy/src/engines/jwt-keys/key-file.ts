import type { JwtAlgorithm } from './algorithms.ts';

/** A key as plain data, so that it is part of a block's content and can be sent to another thread. */
export interface JwtKey {
  /** Null for a key without a name: the key of a single-key file, or an unnamed one of a set. */
  readonly kid: string | null;
  /** The listed algorithms that the key verifies; at least one. */
  readonly algorithms: readonly JwtAlgorithm[];
  readonly material: {
    /** `spki`: a public key (SubjectPublicKeyInfo, DER). */
    readonly form: 'secret' | 'spki';
    readonly base64: string;
  };
}

/** An unusable key file. `what` continues "the file ..." and quotes nothing of it. */
export interface KeyFileFault {
  readonly rule: 'jwt.key_file' | 'jwt.private_key' | 'jwt.weak_key';
  readonly what: string;
}

export type KeyFileResult =
  | { readonly ok: true; readonly keys: readonly JwtKey[] }
  | { readonly ok: false; readonly fault: KeyFileFault };

/** Larger key files are rejected before they are read. */
export const KEY_FILE_MAX_BYTES = 1024 * 1024;

export function refuseKeyFile(what: string, rule: KeyFileFault['rule'] = 'jwt.key_file'): KeyFileResult {
  return { ok: false, fault: { rule, what } };
}

/** The text of a key file; undefined if it is not UTF-8. */
export function decodeKeyFile(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}
