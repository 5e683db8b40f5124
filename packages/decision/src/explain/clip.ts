/** Limit for text of the request in an explanation, so that the explanation is bounded whatever the request. */
const SHOWN_MAX_CHARS = 2048;

export function clip(text: string): string {
  return text.length <= SHOWN_MAX_CHARS ? text : `${text.slice(0, SHOWN_MAX_CHARS)}…`;
}
