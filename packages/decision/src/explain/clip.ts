/** Text of a request in an answer is cut here, so that an answer is bounded whatever was asked. */
const SHOWN_MAX_CHARS = 2048;

export function clip(text: string): string {
  return text.length <= SHOWN_MAX_CHARS ? text : `${text.slice(0, SHOWN_MAX_CHARS)}…`;
}
