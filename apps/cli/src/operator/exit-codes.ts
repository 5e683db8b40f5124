import { ApiError } from '@flotilla/contract';
import { toErrorMessage } from '@flotilla/kit';

/** Scripts may rely on these; see docs/guides/cli.md. */
export const EXIT = {
  ok: 0,
  /** Refused or failed; nothing else fits. */
  failed: 1,
  usage: 2,
  /** Not signed in, or not allowed. */
  forbidden: 3,
  notFound: 4,
  /** It exists, is in use, or changed since it was read. */
  conflict: 5,
  /** The controller cannot be reached, or is not ready. */
  unreachable: 6,
  /** Accepted, but not yet done everywhere; `audit sinks`: one fails. */
  unfinished: 7,
  /**
   * `diff`: applying would change something; `replay`: a verdict would change; `jobs watch`: done, but not for all targets;
   * `audit verify`: something was changed.
   */
  differs: 10,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure that the person at the terminal can do something about. */
export class CliFailure extends Error {
  readonly exitCode: ExitCode;
  /** Further lines, e.g. one per place in a file. */
  readonly lines: readonly string[];

  constructor(exitCode: ExitCode, message: string, lines: readonly string[] = []) {
    super(message);
    this.name = 'CliFailure';
    this.exitCode = exitCode;
    this.lines = lines;
  }
}

export function exitCodeOfStatus(status: number): ExitCode {
  if (status === 401 || status === 403) return EXIT.forbidden;
  if (status === 404) return EXIT.notFound;
  if (status === 409 || status === 412) return EXIT.conflict;
  return status === 503 ? EXIT.unreachable : EXIT.failed;
}

/** Any error as one that can be shown: what happened, and one line for each detail. */
export function toFailure(error: unknown): CliFailure {
  if (error instanceof CliFailure) return error;
  if (!(error instanceof ApiError)) {
    return new CliFailure(EXIT.failed, toErrorMessage(error));
  }
  // Commands name a project, except with --installation or --all-projects.
  if (error.body.code === 'project.missing')
    return new CliFailure(
      EXIT.forbidden,
      'Only owners of the installation may act beyond a project. Leave out --installation and --all-projects.',
    );
  const { details = [], request_id: requestId, ...rest } = error.body;
  const places = details.map(({ path, message }) => `${path ? `${path}: ` : ''}${message}`);
  // The message already contains the only detail.
  const lines = places
    .filter((place) => details.length > 1 || !error.message.endsWith(place))
    .map((place) => `  ${place}`);
  for (const key of ['users', 'services', 'contents'] as const) {
    for (const one of listOf(rest[key])) lines.push(`  ${key === 'contents' ? 'holds' : 'used by'} ${describe(one)}`);
  }
  if (error.status >= 500 && requestId) lines.push(`  request id ${requestId}`);
  return new CliFailure(exitCodeOfStatus(error.status), error.message, lines);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { kind, collection, name, count, id } = value as Record<string, unknown>;
  return [count, kind ?? collection, name ?? (count === undefined ? id : undefined)]
    .filter((part) => part !== undefined)
    .join(' ');
}
