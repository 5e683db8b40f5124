/** `in_progress` -> `In progress`: words of the API as people write them. */
export function toWord(name: string): string {
  const spaced = name.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
