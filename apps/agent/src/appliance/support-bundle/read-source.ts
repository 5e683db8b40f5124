import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { withFolder } from '../../host/open-folder.ts';
import { orderNames } from '../../logs/generations.ts';
import { runProgram } from '../../network/programs.ts';
import type { BundleSource, SourceText, TextKind } from './source.ts';

const MIB = 1024 ** 2;
const FILE_MAX = MIB;
/** The most bytes of a log and of its previous file. */
const LOG_MAX = [8 * MIB, 2 * MIB] as const;
const OUTPUT_MAX = 8 * MIB;
const COMMAND_MS = 20_000;
const NAMES_MAX = 1000;
const FILES_MAX = 64;
const SAFE_NAME = /^[\w.@:-]{1,100}$/;

interface FileOptions {
  readonly kind?: TextKind;
  readonly max?: number;
  /** The file may be a link. Only for folders that belong to root: others could let the agent read any file. */
  readonly mayBeLink?: boolean;
}

/** A file of the system or of the agent. */
export function fileSource(
  name: string,
  path: string,
  { kind = 'plain', max = FILE_MAX, mayBeLink = false }: FileOptions = {},
): BundleSource {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (mayBeLink ? 0 : constants.O_NOFOLLOW);
  return {
    name,
    from: path,
    kind,
    read: async () => {
      const file = await open(path, flags).catch(ignoreAbsent);
      return file && readEnd(file, max);
    },
  };
}

/** The files of a folder of the system whose names match. */
export async function folderSources(
  name: string,
  path: string,
  { kind, pattern }: { readonly kind: TextKind; readonly pattern: RegExp },
): Promise<BundleSource[]> {
  const names = await readdir(path).catch(() => [] as string[]);
  return names
    .filter((one) => pattern.test(one) && SAFE_NAME.test(one))
    .toSorted()
    .slice(0, FILES_MAX)
    .map((one) => fileSource(`${name}/${one}`, join(path, one), { kind }));
}

/**
 * The newest parts of the logs of a folder, and of their previous files. Another user may own the folder: nothing in it is followed or
 * trusted.
 */
export async function logSources(name: string, dir: string, pattern = /\.log$/): Promise<BundleSource[]> {
  const names = await withFolder(dir, (folder) => folder.names(NAMES_MAX)).catch(() => undefined);
  if (!names) return [];
  const logs = names.filter((one) => pattern.test(one) && SAFE_NAME.test(one)).toSorted();
  return logs.slice(0, FILES_MAX).flatMap((log) => {
    const files = orderNames(log, names).filter((one) => SAFE_NAME.test(one) && !one.endsWith('.gz'));
    return LOG_MAX.flatMap((max, age) => {
      const file = files[age];
      return file === undefined ? [] : [folderLog(`${name}/${file}`, { dir, file, max })];
    });
  });
}

function folderLog(name: string, { dir, file, max }: { dir: string; file: string; max: number }): BundleSource {
  const read = async (): Promise<SourceText | undefined> =>
    withFolder(dir, async (folder) => {
      const handle = await folder.openFile(file, constants.O_RDONLY).catch(ignoreAbsent);
      return handle && readEnd(handle, max);
    });
  return { name, from: join(dir, file), kind: 'plain', read };
}

/** The output of a program. A program that fails or is missing is reported with its reason. */
export function commandSource(name: string, command: readonly string[], kind: TextKind = 'plain'): BundleSource {
  return {
    name,
    from: command.join(' '),
    kind,
    read: async (signal) => {
      signal.throwIfAborted();
      const ran = await runProgram({ prefix: [] }, command, { timeoutMs: COMMAND_MS });
      if (!ran.ok) throw new Error(ran.error.message);
      if (ran.value.length <= OUTPUT_MAX) return { text: ran.value, isCut: false };
      return { text: fromNextLine(ran.value.slice(-OUTPUT_MAX)), isCut: true };
    },
  };
}

/** Reads at most `max` bytes from the end, and closes the file. */
async function readEnd(file: FileHandle, max: number): Promise<SourceText> {
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw new Error('it is not a file');
    const start = Math.max(0, facts.size - max);
    const buffer = Buffer.alloc(facts.size === 0 ? max : Math.min(facts.size, max));
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, start + length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    const text = buffer.toString('utf8', 0, length);
    return start === 0 ? { text, isCut: false } : { text: fromNextLine(text), isCut: true };
  } finally {
    await file.close();
  }
}

/** The first line is incomplete: what is a secret in it may not be recognized. A text without lines is left out. */
function fromNextLine(text: string): string {
  const end = text.indexOf('\n');
  return end === -1 ? '' : text.slice(end + 1);
}

function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
