import type { Finding } from '../schema/lint.ts';
import { formatPath, type Path } from './path.ts';
import type { PlacedError } from './server-errors.ts';
import type { DocumentTree } from './tree.ts';

/** A problem as it is shown, with its range in the text. */
export interface Problem {
  readonly from: number;
  readonly to: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** Path in the document, for a list of problems. */
  readonly path: string;
}

/** Messages that begin with these words are the predicate of a sentence about the field. */
const VERB = /^(?:must|may|is|are|has|have|needs|cannot|stands|was|names|asks|refers|uses|begins)\b/;
const PROBLEMS_MAX = 200;

/**
 * Returns all problems of a document in text order: syntax errors, errors of the server, and findings of the schema where the server
 * reported nothing. With a syntax error, missing fields are not reported: they may exist but be unreadable.
 */
export function joinProblems(
  tree: DocumentTree,
  server: readonly PlacedError[],
  findings: readonly Finding[],
): Problem[] {
  const syntax: Problem[] = tree.problems.map(({ from, to, message }) => ({
    from,
    to,
    severity: 'error',
    message,
    path: '',
  }));
  const fromServer: Problem[] = server.map(({ error, path, from, to }) => ({
    from,
    to,
    severity: error.severity ?? 'error',
    message: sentence(path, error.message),
    path: error.path,
  }));
  const places = new Set(fromServer.flatMap(({ from, to, path }) => [`${from}:${to}`, path]));
  const isBroken = syntax.length > 0;
  const own: Problem[] = findings
    .filter(
      ({ from, to, path, rule }) =>
        !places.has(`${from}:${to}`) && !places.has(formatPath(path)) && !(isBroken && rule.includes('required')),
    )
    .map(({ from, to, path, severity, message }) => ({
      from,
      to,
      severity,
      message: sentence(path, message),
      path: formatPath(path),
    }));
  return [...syntax, ...fromServer, ...own].sort((a, b) => a.from - b.from).slice(0, PROBLEMS_MAX);
}

function sentence(path: Path, message: string): string {
  const last = path.at(-1);
  if (last === undefined || !VERB.test(message)) return capital(message);
  const name = typeof last === 'number' ? `${String(path.at(-2) ?? 'item')}[${last}]` : last;
  return `${name} ${message}`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
