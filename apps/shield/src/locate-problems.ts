import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatProblem, type LoadProblem } from '@flotilla/policy';

/** Replaces paths by those relative to what the person gave, so that a terminal can open them. */
export async function locateProblems(path: string, problems: readonly LoadProblem[]): Promise<string[]> {
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  return problems.map((problem) => {
    const file = problem.file === '.' || !isFolder ? path : join(path, problem.file);
    return formatProblem({ ...problem, file });
  });
}
