/** Name of the unique index or constraint that rejected the row (SQLSTATE 23505); undefined for other errors. */
export function uniqueViolationOf(error: unknown): string | undefined {
  const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown };
  return code === '23505' ? String(constraint ?? '') : undefined;
}
