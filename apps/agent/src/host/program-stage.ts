import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, readdir, realpath, rename, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { digestOf } from './envoy/instance.ts';
import { findClosedFolder } from './folders.ts';

/**
 * Makes a program accessible to the users of services and returns its path. A program below a private folder, such as a clone in
 * root's home, is copied once into the agent's data folder. An accessible program is used in place.
 */
export async function stageProgram(path: string, dataDir: string): Promise<string> {
  const real = await realpath(path);
  const facts = await stat(real);
  const readable = (facts.mode & 0o005) !== 0;
  if (readable && (await findClosedFolder(real)) === undefined) return path;
  const dir = join(dataDir, 'programs', digestOf(real, `${facts.size} ${facts.mtimeMs}`).slice(0, 12));
  const target = join(dir, basename(real));
  await mkdir(dir, { recursive: true, mode: 0o755 });
  await chmod(join(dataDir, 'programs'), 0o755);
  const there = await stat(target).catch(() => undefined);
  if (there?.size === facts.size) return target;
  // The parts of a bundle import each other by relative names, so they are copied first, and the entry last.
  if (real.endsWith('.mjs')) {
    for (const part of await readdir(dirname(real))) {
      if (part.endsWith('.mjs') && part !== basename(real)) await stageFile(join(dirname(real), part), join(dir, part));
    }
  }
  await stageFile(real, target);
  return target;
}

/** Copies a file so that `target` is complete as soon as it exists. */
async function stageFile(source: string, target: string): Promise<void> {
  const staged = `${target}.${randomBytes(4).toString('hex')}.tmp`;
  await copyFile(source, staged);
  await chmod(staged, (await stat(source)).mode & 0o111 ? 0o755 : 0o644);
  await rename(staged, target);
}

/** Stages every argument of a command that is an absolute path of a file. */
export async function stageCommand(command: readonly string[], dataDir: string): Promise<string[]> {
  const staged: string[] = [];
  for (const part of command) {
    const isFile = isAbsolute(part) && (await stat(part).catch(() => undefined))?.isFile() === true;
    staged.push(isFile ? await stageProgram(part, dataDir) : part);
  }
  return staged;
}
