/** What to show of something that was thrown: of an error its message, of anything else its text. */
export function toErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
