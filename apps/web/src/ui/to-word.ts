/** Converts API values to readable words: `in_progress` -> `In progress`. */
export function toWord(name: string): string {
  const spaced = name.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
