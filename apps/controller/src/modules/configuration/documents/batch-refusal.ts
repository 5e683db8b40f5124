import { failDocument } from '@flotilla/contract';
import { AppError, type Violation } from '@flotilla/kit';

export interface Refusal {
  /** `documents[3]`, `delete`, `prune` */
  readonly where: string;
  readonly document: { readonly collection: string; readonly name: string; readonly version: string } | undefined;
  readonly error: AppError;
}

const DETAILS_MAX = 500;

/** Prefixes the position in the request; the message of a deletion names its document itself. */
function nameFirst({ where }: Refusal): string {
  return where.startsWith('documents[') ? `${where}: ` : '';
}

/** Combines all errors of a batch into one answer. */
export function refuseBatch(refusals: readonly Refusal[]): AppError {
  const details = refusals.flatMap(({ where, error }): Violation[] => {
    const own = error.details ?? [];
    // The message already says it.
    if (own.length === 0 && refusals.length === 1) return [];
    if (own.length === 0) return [{ path: where, rule: error.code, message: error.message }];
    return own.map((detail) => ({ ...detail, path: detail.path === '' ? where : `${where}.${detail.path}` }));
  });
  const errors = refusals.map(({ where, document, error }) => ({
    path: where,
    ...(document && { collection: document.collection, name: document.name, version: document.version }),
    code: error.code,
    message: error.message,
    ...error.extra,
  }));
  const isForbidden = refusals.every(({ error }) => error.httpStatus === 403);
  const first = refusals[0];
  // A single error keeps its own status and code, so that a batch of one behaves like a single write.
  if (refusals.length === 1 && first) {
    return new AppError({
      code: first.error.code,
      httpStatus: first.error.httpStatus,
      message: `Nothing was changed: ${nameFirst(first)}${first.error.message}`,
      details: details.slice(0, DETAILS_MAX),
      extra: { ...first.error.extra, errors },
    });
  }
  const code = isForbidden ? 'document.batch_forbidden' : 'document.batch_refused';
  return failDocument(code, { count: refusals.length }, { details: details.slice(0, DETAILS_MAX), extra: { errors } });
}
