import { Buffer } from 'node:buffer';
import { hostname } from 'node:os';

export interface SyslogHeader {
  /** `local0` to `local7`. */
  readonly facility: string;
  readonly tag: string;
}

export interface SyslogMessage {
  readonly severity: number;
  /** RFC 3339. */
  readonly at: string;
  /** From `formatElement`. */
  readonly element: string;
  readonly text: string;
  /** Default: the tag. */
  readonly kind?: string;
}

const LOCAL0 = 16;
const TEXT_MAX = 256;

/** RFC 5424, section 6. The text is cut. */
export function formatSyslog(
  { facility, tag }: SyslogHeader,
  { severity, at, element, text, kind = tag }: SyslogMessage,
): Buffer {
  const priority = (LOCAL0 + Number(facility.slice(-1))) * 8 + severity;
  const host =
    hostname()
      .replaceAll(/[^!-~]/g, '')
      .slice(0, 255) || '-';
  const message = cleanText(text.toWellFormed()).slice(0, TEXT_MAX).toWellFormed();
  return Buffer.from(`<${priority}>1 ${at} ${host} ${tag} - ${kind.slice(0, 32)} ${element} ${message}`);
}

/** An element of the structured data. Parameters without a value are left out. */
export function formatElement(
  id: string,
  parameters: readonly (readonly [name: string, value: string | null])[],
): string {
  const given = parameters.flatMap(([name, value]) => (value ? [` ${name}="${escapeValue(value)}"`] : []));
  return `[${id}${given.join('')}]`;
}

/** RFC 5424, 6.3.3. */
function escapeValue(value: string): string {
  return cleanText(value.toWellFormed()).replaceAll(/["\\\]]/g, String.raw`\$&`);
}

/**
 * Replaces control characters and Unicode's line and paragraph separators with spaces, so that nothing can start a new
 * line.
 */
export function cleanText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
}
