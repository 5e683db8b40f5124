import { readFile } from 'node:fs/promises';

/** The text of a file of the system, without the line feed at its end. Undefined: it cannot be read. */
export function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
}

/** `NAME="value"` lines, as in os-release. */
export function parseAssignments(text: string): Readonly<Record<string, string>> {
  const pairs = text.split('\n').flatMap((line) => {
    const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line.trim()) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value.replace(/^(["'])(.*)\1$/, '$2')] as const];
  });
  return Object.fromEntries(pairs);
}
