/** Name of the unique index or constraint that rejected the row (SQLSTATE 23505); undefined for other errors. */
export function uniqueViolationOf(error: unknown): string | undefined {
  const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown };
  return code === '23505' ? String(constraint ?? '') : undefined;
}

/**
 * Whether the database refuses the values themselves, as data (SQLSTATE class 22) or by a constraint (23): they would be refused
 * again.
 */
export function isRefusedValue(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^2[23]...$/.test(code);
}
