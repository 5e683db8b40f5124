/**
 * One error in an input. `path` is its JSON path (`spec.domains[0].hosts`), `rule` a stable word for the check that
 * failed.
 */
export interface Violation {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
}

/** gRPC status numbers (grpc/status.proto) that our errors map to. */
export const GRPC_STATUS = {
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

export interface AppErrorOptions {
  /** Stable, dotted, the same for every occurrence: `project.forbidden`. */
  readonly code: string;
  readonly httpStatus: number;
  /** Says what is wrong and what to do. Never contains a secret. */
  readonly message: string;
  readonly details?: readonly Violation[];
  /** Further members of the response body, e.g. the users that block a delete. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The base of every error that reaches a caller. Driver and library errors are wrapped in one where they occur. */
export class AppError extends Error {
  readonly code: string;
  readonly httpStatus: number;
  readonly details: readonly Violation[] | undefined;
  readonly extra: Readonly<Record<string, unknown>> | undefined;

  constructor(options: AppErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = options.code;
    this.httpStatus = options.httpStatus;
    this.details = options.details;
    this.extra = options.extra;
  }

  /** The gRPC status that corresponds to the HTTP status. */
  get grpcStatus(): number {
    switch (this.httpStatus) {
      case 400:
        return GRPC_STATUS.invalidArgument;
      case 401:
        return GRPC_STATUS.unauthenticated;
      case 403:
        return GRPC_STATUS.permissionDenied;
      case 404:
        return GRPC_STATUS.notFound;
      case 409:
      case 412:
        return GRPC_STATUS.failedPrecondition;
      case 413:
      case 429:
        return GRPC_STATUS.resourceExhausted;
      case 503:
        return GRPC_STATUS.unavailable;
      default:
        return GRPC_STATUS.internal;
    }
  }
}
