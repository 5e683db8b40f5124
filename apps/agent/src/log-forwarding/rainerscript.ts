/**
 * Returns a string constant of RainerScript. Every byte without a safe form is written as `\ooo`, so that no text can end the
 * constant or begin another statement. A NUL would end the text for rsyslog, so it is refused.
 */
export function quoteRainer(text: string): string {
  if (text.includes('\0')) throw new TypeError('a text of the configuration contains a NUL');
  const bytes = [...Buffer.from(text, 'utf8')];
  return `"${bytes.map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : escapeByte(byte))).join('')}"`;
}

export interface Parameters {
  readonly [name: string]: string | number | undefined;
}

/** `action(type="omfwd" port="514")`. Parameters without a value are left out. */
export function renderObject(name: string, parameters: Parameters): string {
  const given = Object.entries(parameters).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined,
  );
  return `${name}(${given.map(([key, value]) => `${key}=${quoteRainer(String(value))}`).join(' ')})`;
}

const PLAIN = new Set(
  Buffer.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 /._-:,*=@+()[]{}|^#<>;!?&~%'),
);

function isPlain(byte: number): boolean {
  return PLAIN.has(byte);
}

function escapeByte(byte: number): string {
  // Objects have no hexadecimal escapes.
  return `\\${byte.toString(8).padStart(3, '0')}`;
}
