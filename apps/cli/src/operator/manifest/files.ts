import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { CliFailure, EXIT } from '../exit-codes.ts';
import type { Source } from './source.ts';

const FILE_MAX_BYTES = 16 * 1024 * 1024;
const FILES_MAX = 5000;
const MANIFEST = /\.(?:ya?ml|json)$/i;

/** Reads files, folders with their subfolders, and `-` for standard input. */
export async function readSources(paths: readonly string[], stdin: NodeJS.ReadableStream): Promise<Source[]> {
  const sources: Source[] = [];
  for (const path of paths) {
    if (path === '-') sources.push({ file: '-', text: await readAll(stdin) });
    else for (const file of await listFiles(path)) sources.push({ file, text: await readText(file) });
  }
  return sources;
}

async function listFiles(path: string): Promise<string[]> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'there is no such file or folder' : error.message;
    throw new CliFailure(EXIT.usage, `${path}: ${reason}`);
  });
  if (!info.isDirectory()) return [path];
  const found = await readdir(path, { recursive: true, withFileTypes: true });
  // A link to a file counts as a file: configuration is often mounted this way.
  const files = found
    .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && MANIFEST.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !relative(path, file).split(sep).some(isHidden))
    .sort();
  if (files.length === 0) throw new CliFailure(EXIT.usage, `${path}: contains no .yaml, .yml or .json file`);
  if (files.length > FILES_MAX) throw new CliFailure(EXIT.usage, `${path}: contains more than ${FILES_MAX} files`);
  return files;
}

function isHidden(name: string): boolean {
  return name.startsWith('.');
}

async function readText(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: Error) => {
    throw new CliFailure(EXIT.usage, `${file}: ${error.message}`);
  });
  return decode(file, bytes);
}

async function readAll(stdin: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > FILE_MAX_BYTES) break;
    chunks.push(bytes);
  }
  if (size > FILE_MAX_BYTES) throw tooLarge('-');
  return decode('-', Buffer.concat(chunks));
}

function decode(file: string, bytes: Buffer): string {
  if (bytes.length > FILE_MAX_BYTES) throw tooLarge(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CliFailure(EXIT.usage, `${file}: is not UTF-8 text`);
  }
}

function tooLarge(file: string): CliFailure {
  return new CliFailure(EXIT.usage, `${file}: is larger than ${FILE_MAX_BYTES / 1024 / 1024} MiB`);
}
