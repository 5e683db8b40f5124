import type { ProgramIo } from '../../programs.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { readSources } from './files.ts';
import { classify, isManifest, type Manifest } from './kinds.ts';
import { formatProblem, type Problem, parseSource } from './source.ts';

const PROBLEMS_SHOWN = 50;

/** Loads all records of the files, in order. Throws an error that lists every problem with its place. */
export async function loadManifests(
  io: ProgramIo,
  paths: readonly string[],
  version: string | undefined,
): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  const problems: Problem[] = [];
  for (const source of await readSources(paths, io.stdin)) {
    const parsed = parseSource(source);
    problems.push(...parsed.problems);
    for (const entry of parsed.entries) {
      const manifest = classify(entry, version);
      if (isManifest(manifest)) manifests.push(manifest);
      else problems.push(manifest);
    }
  }
  if (problems.length > 0) throw refuseFiles(problems);
  if (manifests.length === 0) throw new CliFailure(EXIT.usage, 'The files contain no documents, policies or services.');
  return manifests;
}

export function refuseFiles(problems: readonly Problem[], message = 'The files cannot be used:'): CliFailure {
  const lines = problems.slice(0, PROBLEMS_SHOWN).map(formatProblem);
  if (problems.length > PROBLEMS_SHOWN) lines.push(`... and ${problems.length - PROBLEMS_SHOWN} more`);
  return new CliFailure(EXIT.failed, message, lines);
}
