import type { JwtAlgorithm } from './algorithms.ts';

/** One key in plain form, so that it is part of a block's content and can be handed to another thread. */
export interface JwtKey {
  /** Null for a key without a name: one key of a file, or an unnamed one of a set. */
  readonly kid: string | null;
  /** Which of the algorithms that the block lists the key verifies; at least one. */
  readonly algorithms: readonly JwtAlgorithm[];
  readonly material: {
    /** `spki`: a public key (SubjectPublicKeyInfo, DER). */
    readonly form: 'secret' | 'spki';
    readonly base64: string;
  };
}

/** A key file that cannot be used. `what` continues "the file ...", and quotes nothing of it. */
export interface KeyFileFault {
  readonly rule: 'jwt.key_file' | 'jwt.private_key' | 'jwt.weak_key';
  readonly what: string;
}

export type KeyFileResult =
  | { readonly ok: true; readonly keys: readonly JwtKey[] }
  | { readonly ok: false; readonly fault: KeyFileFault };

/** A larger key file is refused before it is read. */
export const KEY_FILE_MAX_BYTES = 1024 * 1024;

export function refuseKeyFile(what: string, rule: KeyFileFault['rule'] = 'jwt.key_file'): KeyFileResult {
  return { ok: false, fault: { rule, what } };
}

/** Text of a key file, or undefined where it is not UTF-8. */
export function decodeKeyFile(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}
