import type { Stats } from 'node:fs';
import { open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { err, ok, type Result } from '@flotilla/kit';
import {
  isPolicyFile,
  type LoadProblem,
  POLICY_FILE_MAX_BYTES,
  type PolicyFile,
  scanFileNames,
  TRUSTED_DOCUMENTS_MAX_BYTES,
} from '@flotilla/policy';

const BUNDLE_MAX_FILES = 10_000;
const BUNDLE_MAX_BYTES = 256 * 1024 * 1024;
/** The maximum of all engines; each checks its own limit. */
const DATA_FILE_MAX_BYTES = TRUSTED_DOCUMENTS_MAX_BYTES;
/** Limit for nested folders of data files. */
const BUNDLE_MAX_DEPTH = 8;
const READ_ATTEMPTS = 5;
/** Larger data files are read into shared memory: copying them for the reading thread would delay requests. */
const SHARED_FROM_BYTES = 1024 * 1024;

interface FoundFile {
  readonly path: string;
  readonly absolute: string;
  readonly stats: Stats;
}

/** An unreadable bundle is reported as a problem, so that it is shown in the same place as others. */
function unreadable(message: string): Result<never, LoadProblem[]> {
  return err([{ file: '.', line: 1, column: 1, field: '', rule: 'bundle.unreadable', message }]);
}

/**
 * Reads a policy file and the data files that it refers to, which are in its folder or below; or a directory with
 * everything in it, except names that begin with a dot or end in `.tmp` or `~` (staged files). Reads again what changes
 * meanwhile: the result never mixes files of two bundles that were swapped during the read. A link to a data file must
 * stay within the folder.
 */
export async function readBundle(path: string): Promise<Result<PolicyFile[], LoadProblem[]>> {
  for (let attempt = 1; ; attempt++) {
    try {
      const before = await listBundle(path);
      const problem = findOversize(before);
      if (problem !== undefined) return unreadable(problem);
      const files: PolicyFile[] = [];
      for (const file of before) files.push({ path: file.path, content: await readContent(file) });
      const stray = await findStray(path, before);
      if (stray !== undefined) return unreadable(`${stray} is a link that leads out of the policy's folder`);
      if (signatureOf(before) === signatureOf(await listBundle(path))) return ok(files);
      if (attempt === READ_ATTEMPTS) return unreadable(`${path} changes faster than it can be read`);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (code === '') throw error;
      // A file that vanished between listing and reading is part of a change in progress.
      if (attempt < READ_ATTEMPTS && code === 'ENOENT') continue;
      return unreadable(code === 'ENOENT' ? `${path} does not exist` : `${path} cannot be read (${code})`);
    }
  }
}

async function readContent({ path, absolute, stats }: FoundFile): Promise<Buffer> {
  if (isPolicyFile(path) || stats.size <= SHARED_FROM_BYTES) return readFile(absolute);
  const content = Buffer.from(new SharedArrayBuffer(stats.size));
  const file = await open(absolute);
  try {
    let length = 0;
    while (length < content.length) {
      const { bytesRead } = await file.read(content, length, Math.min(content.length - length, SHARED_FROM_BYTES));
      // A file that became shorter has changed, and is read again.
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return content.subarray(0, length);
  } finally {
    await file.close();
  }
}

/** A text that changes with every file of the bundle: names, inodes, sizes and times. Empty if there is no bundle. */
export async function readBundleSignature(path: string): Promise<string> {
  try {
    return signatureOf(await listBundle(path));
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : '';
  }
}

/** The folders that contain or may contain data files, except the bundle's own. Empty if the bundle cannot be listed. */
export async function listDataFolders(path: string): Promise<readonly string[]> {
  return listAll(path).then(
    ({ folders }) => folders,
    () => [],
  );
}

async function listBundle(path: string): Promise<readonly FoundFile[]> {
  return (await listAll(path)).files;
}

interface FoundEntries {
  readonly files: FoundFile[];
  /** Includes empty folders, which may get files later. */
  readonly folders: string[];
}

async function listAll(path: string): Promise<FoundEntries> {
  const root = await stat(path);
  if (!root.isDirectory()) return listNamedFiles({ path: basename(path), absolute: path, stats: root });
  const found: FoundEntries = { files: [], folders: [] };
  await listFolder(found, path, '', 0);
  return found;
}

/** Cached names of the last scanned policy file, which is checked every other second and rarely changes. */
let scanned: { readonly signature: string; readonly names: readonly string[] } = { signature: '', names: [] };

async function listNamedFiles(policy: FoundFile): Promise<FoundEntries> {
  const found: FoundEntries = { files: [policy], folders: [] };
  if (policy.stats.size > POLICY_FILE_MAX_BYTES) return found;
  const signature = `${policy.absolute}\n${signatureOf([policy])}`;
  if (scanned.signature !== signature) {
    scanned = { signature, names: scanFileNames(await readFile(policy.absolute, 'utf8')) };
  }
  const folders = new Set<string>();
  for (const name of scanned.names) {
    const absolute = join(dirname(policy.absolute), name);
    folders.add(dirname(absolute));
    // The load reports missing files and where they are referred to.
    const stats = await stat(absolute).catch(() => undefined);
    if (stats?.isFile() === true) found.files.push({ path: name, absolute, stats });
  }
  found.folders.push(...folders);
  return found;
}

async function listFolder(found: FoundEntries, folder: string, prefix: string, depth: number): Promise<void> {
  const names = await readdir(folder);
  for (const name of names.sort()) {
    // One more than allowed is enough to reject the bundle, and stops at circular links.
    if (found.files.length > BUNDLE_MAX_FILES || found.folders.length > BUNDLE_MAX_FILES) return;
    if (name.startsWith('.') || name.endsWith('.tmp') || name.endsWith('~')) continue;
    const absolute = join(folder, name);
    // Follows links: a mounted ConfigMap is a folder of links into a hidden one.
    const stats = await stat(absolute);
    if (stats.isFile()) found.files.push({ path: `${prefix}${name}`, absolute, stats });
    else if (stats.isDirectory() && depth < BUNDLE_MAX_DEPTH) {
      found.folders.push(absolute);
      await listFolder(found, absolute, `${prefix}${name}/`, depth + 1);
    }
  }
}

/**
 * The first data file outside the folder. Documents may be links to anywhere, but data files may not: otherwise authors
 * of documents could read the host's files through them.
 */
async function findStray(path: string, files: readonly FoundFile[]): Promise<string | undefined> {
  const root = await realpath(path);
  const folder = (await stat(root)).isDirectory() ? root : dirname(root);
  for (const file of files) {
    if (isPolicyFile(file.path)) continue;
    if (!(await realpath(file.absolute)).startsWith(`${folder}${sep}`)) return file.path;
  }
  return undefined;
}

function signatureOf(files: readonly FoundFile[]): string {
  return files
    .map(({ path, stats }) => `${path}\n${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`)
    .join('\n');
}

function findOversize(files: readonly FoundFile[]): string | undefined {
  if (files.length > BUNDLE_MAX_FILES) return `holds more than ${BUNDLE_MAX_FILES} files`;
  for (const { path, stats } of files) {
    const max = isPolicyFile(path) ? POLICY_FILE_MAX_BYTES : DATA_FILE_MAX_BYTES;
    if (stats.size > max) return `${path} is larger than ${max} bytes`;
  }
  const total = files.reduce((sum, file) => sum + file.stats.size, 0);
  return total > BUNDLE_MAX_BYTES ? `is larger than ${BUNDLE_MAX_BYTES} bytes` : undefined;
}
