import { ApiError } from '@flotilla/contract';
import { toErrorMessage } from '@flotilla/kit';

/** Exit codes are stable for scripts; see docs/guides/cli.md. */
export const EXIT = {
  ok: 0,
  /** Any failure without a more specific code. */
  failed: 1,
  usage: 2,
  /** Not signed in, or not allowed. */
  forbidden: 3,
  notFound: 4,
  /** The record exists, is in use, or changed since it was read. */
  conflict: 5,
  /** The controller cannot be reached, or is not ready. */
  unreachable: 6,
  /** Accepted, but not done everywhere yet. For `audit sinks`: a sink fails. */
  unfinished: 7,
  /**
   * `diff`: a record would change. `replay`: a verdict would change. `jobs watch`: the job is done, but not for all targets.
   * `audit verify`: the audit log was changed. `api-documents check` and `breaking`: a document differs from the traffic, or breaks clients.
   */
  differs: 10,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure whose message tells the user what to do. */
export class CliFailure extends Error {
  readonly exitCode: ExitCode;
  /** Further lines, for example one for each place in a file. */
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

/** Converts any error into a message and one line for each detail. */
export function toFailure(error: unknown): CliFailure {
  if (error instanceof CliFailure) return error;
  if (!(error instanceof ApiError)) {
    return new CliFailure(EXIT.failed, toErrorMessage(error));
  }
  // Only --installation and --all-projects send requests without a project.
  if (error.body.code === 'project.missing')
    return new CliFailure(
      EXIT.forbidden,
      'Only owners of the installation may use --installation and --all-projects. Leave out the option to use a project.',
    );
  const { details = [], request_id: requestId, ...rest } = error.body;
  const places = details.map(({ path, message }) => `${path ? `${path}: ` : ''}${message}`);
  // The message already contains the only detail.
  const lines = places
    .filter((place) => details.length > 1 || !error.message.endsWith(place))
    .map((place) => `  ${place}`);
  for (const key of ['users', 'services', 'contents'] as const) {
    for (const one of listOf(rest[key]))
      lines.push(`  ${key === 'contents' ? 'contains' : 'used by'} ${describe(one)}`);
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
