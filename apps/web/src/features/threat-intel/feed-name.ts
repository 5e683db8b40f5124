/** As the API takes it; `upload` is the last part of an address of its own. */
export function isFeedName(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,62}$/.test(text) && text !== 'upload';
}
