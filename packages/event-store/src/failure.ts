import { AppError } from '@flotilla/kit';

/** An error of the store, as it travels between threads. */
export interface Failure {
  readonly code: string;
  readonly httpStatus: number;
  readonly message: string;
  /** The message of the cause. */
  readonly reason: string | undefined;
}

export function toFailure({ code, httpStatus, message, cause }: AppError): Failure {
  return { code, httpStatus, message, reason: cause instanceof Error ? cause.message : undefined };
}

export function fromFailure({ reason, ...error }: Failure): AppError {
  return new AppError({ ...error, ...(reason === undefined ? {} : { cause: new Error(reason) }) });
}
