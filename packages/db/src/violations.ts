/** Name of the unique index or constraint that refused the row (SQLSTATE 23505), or undefined for any other error. */
export function uniqueViolationOf(error: unknown): string | undefined {
  const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown };
  return code === '23505' ? String(constraint ?? '') : undefined;
}
