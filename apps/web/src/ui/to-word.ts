/** `in_progress` -> `In progress`: readable words for API values. */
export function toWord(name: string): string {
  const spaced = name.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
