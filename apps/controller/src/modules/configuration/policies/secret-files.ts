import { Buffer } from 'node:buffer';
import type { GivenPolicyFile, PolicyFileView } from '@flotilla/contract';
import type { Violation } from '@flotilla/kit';
import type { Keyring } from '../../../platform/keyring/index.ts';
import type { NamedFiles } from './analysis/model.ts';
import { isEncrypted, type OpenFile } from './analysis/policy-files.ts';
import { policyFileContext } from './encryption-context.ts';
import type { StoredPolicyFile } from './tables.ts';

export function openFiles(
  keyring: Keyring,
  { id, files }: { readonly id: string; readonly files: readonly StoredPolicyFile[] },
): OpenFile[] {
  return files.map((file) => {
    if (!isEncrypted(file)) return { ...file, wasSealed: false };
    const content = keyring.decrypt(Buffer.from(file.sealed_base64, 'base64'), policyFileContext(id, file.path));
    return { path: file.path, content_base64: content.toString('base64'), wasSealed: true };
  });
}

/**
 * Completes the files of a policy by a writer who cannot see the secrets: a file that the text names as a secret and
 * that has no content is taken from `kept`. Nothing else is taken from there: a secret that the text names as another
 * kind of file would become readable.
 */
export function gatherFiles(
  names: NamedFiles,
  written: readonly GivenPolicyFile[],
  kept: readonly OpenFile[],
): { readonly files: readonly OpenFile[] } | { readonly violation: Violation } {
  const secret = new Set(names.secrets);
  const sealed = new Map(kept.filter(({ wasSealed }) => wasSealed).map((file) => [file.path, file]));
  const files: OpenFile[] = [];
  for (const [i, { path, content_base64, secret: isSecret }] of written.entries()) {
    if (content_base64 !== undefined && (isSecret === undefined || secret.has(path))) {
      files.push({ path, content_base64, wasSealed: false });
      continue;
    }
    const known = sealed.get(path);
    if (secret.has(path) && known) {
      files.push(known);
      continue;
    }
    return { violation: refuseFile(`files[${i}]`, path, { names, isSecret: secret.has(path), isKept: !!known }) };
  }
  const given = new Set(written.map(({ path }) => path));
  const left = [...secret].flatMap((path) => (given.has(path) ? [] : (sealed.get(path) ?? [])));
  return { files: [...files, ...left] };
}

function refuseFile(
  at: string,
  path: string,
  { names, isSecret, isKept }: { readonly names: NamedFiles; readonly isSecret: boolean; readonly isKept: boolean },
): Violation {
  if (isSecret) {
    const message = `${path} is a secret that is not stored for this policy: give its content`;
    return { path: `${at}.content_base64`, rule: 'file.secret_missing', message };
  }
  if (!names.all.includes(path)) {
    return { path: `${at}.path`, rule: 'file.unused', message: `${path} is not named in the policy` };
  }
  const message = isKept
    ? `${path} is kept as a secret, and the policy now names it as a file that is shown: give the content that is meant`
    : `${path} is not named as a secret: give its content alone, as of a file that is shown`;
  return { path: `${at}.content_base64`, rule: isKept ? 'file.was_secret' : 'file.not_secret', message };
}

/**
 * Converts files to their stored form; `secrets`: those that the text names. Unchanged content keeps its encrypted
 * value and its time.
 */
export function encryptFiles(
  keyring: Keyring,
  policy: { readonly id: string; readonly secrets: readonly string[] },
  {
    files,
    before,
    at,
  }: { readonly files: readonly OpenFile[]; readonly before: readonly StoredPolicyFile[]; readonly at: Date },
): StoredPolicyFile[] {
  if (files.length === 0) return [];
  const secret = new Set(policy.secrets);
  const encryptedBefore = before.filter(isEncrypted);
  const openBefore = new Map(
    openFiles(keyring, { id: policy.id, files: encryptedBefore }).map((file) => [file.path, file]),
  );
  return files.map(({ path, content_base64, wasSealed }): StoredPolicyFile => {
    if (!secret.has(path)) {
      if (wasSealed) throw new Error(`the secret ${path} would be stored in the open`);
      return { path, content_base64 };
    }
    const content = Buffer.from(content_base64, 'base64');
    const isSame = openBefore.get(path)?.content_base64 === content.toString('base64');
    const same = isSame ? encryptedBefore.find((file) => file.path === path) : undefined;
    if (same) return same;
    const sealed = keyring.encrypt(content, policyFileContext(policy.id, path)).toString('base64');
    return { path, sealed_base64: sealed, bytes: content.byteLength, updated_at: at.toISOString() };
  });
}

/** The API view of files, which is the same for every reader. */
export function showFiles(files: readonly StoredPolicyFile[]): PolicyFileView[] {
  return files.map((file) => {
    if (!isEncrypted(file)) return file;
    const { path, bytes, updated_at } = file;
    return { path, secret: true, bytes, updated_at };
  });
}
