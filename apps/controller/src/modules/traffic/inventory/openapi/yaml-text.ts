/**
 * JSON as YAML 1.2 in blocks. Every text and every unusual key is in double quotes with JSON's escapes, which YAML shares, so that nothing in a text is
 * read as YAML. Much faster than a general writer: the inventory of a large project is written while other requests wait.
 */
export function toYaml(value: unknown): string {
  const lines: string[] = [];
  write(lines, value, '');
  return `${lines.join('\n')}\n`;
}

const PLAIN_KEY = /^[A-Za-z][\w-]*$/;
/** Words that YAML 1.1 reads as something else. */
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

function write(lines: string[], value: unknown, indent: string): void {
  if (Array.isArray(value)) for (const item of value) writeEntry(lines, { head: `${indent}-`, value: item, indent });
  else
    for (const [key, member] of Object.entries(value as object))
      if (member !== undefined) writeEntry(lines, { head: `${indent}${toKey(key)}:`, value: member, indent });
}

function writeEntry(
  lines: string[],
  { head, value, indent }: { readonly head: string; readonly value: unknown; readonly indent: string },
): void {
  if (!isFilled(value)) {
    lines.push(`${head} ${toScalar(value)}`);
    return;
  }
  lines.push(head);
  write(lines, value, `${indent}  `);
}

function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function toScalar(value: unknown): string {
  // JSON leaves these as they are, but YAML ends a line there.
  return JSON.stringify(value).replace(/[\u007F-\u009F\u2028\u2029\uFEFF]/g, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function toKey(key: string): string {
  return PLAIN_KEY.test(key) && !RESERVED.test(key) ? key : toScalar(key);
}
