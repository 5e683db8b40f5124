import { AppError } from '@flotilla/kit';
import { ERROR_CODE_TRAILER } from '@flotilla/proto';
import { Metadata, type StatusObject, status } from '@grpc/grpc-js';

/** Converts an error to the status for the caller. Texts of internal errors are not sent. */
export function toStatus(error: unknown): StatusObject {
  const metadata = new Metadata();
  if (!(error instanceof AppError)) return { code: status.INTERNAL, details: 'something failed here', metadata };
  metadata.set(ERROR_CODE_TRAILER, error.code);
  return { code: error.grpcStatus, details: error.message, metadata };
}
