/** No hand-written document comes near it. Code that walks through a parsed value may therefore recurse. */
export const DEPTH_MAX = 1000;

/** Limit for a name that an error message repeats. */
const NAME_SHOWN_MAX = 128;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = /[ \t\n\r]*:/y;

/** An object or list that has started and not ended. */
interface Open {
  /** Names seen so far (objects only). */
  names?: Set<string>;
  /** The member whose value is next, or was last. */
  name: string;
}

/**
 * Returns why a JSON text that JSON.parse accepts is refused; undefined if it is fine. Refused are deep nesting, a
 * repeated member (JSON.parse silently keeps one), text that PostgreSQL's text and jsonb cannot store, and `__proto__`.
 * It scans the text once, because a reviver costs ten times as much: 8 MiB of small objects would block the process for
 * seconds.
 */
export function findFault(text: string): string | undefined {
  const open: Open[] = [];
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i];
    if (char === '{' || char === '[') {
      if (open.push({ name: '' }) > DEPTH_MAX) return 'it is nested too deeply';
    } else if (char === '}' || char === ']') open.pop();
    else if (char === '"') {
      const end = endOfString(text, i);
      const said = readString(text.slice(i, end + 1));
      COLON.lastIndex = end + 1;
      const within = open.at(-1);
      const fault = within && COLON.test(text) ? findNameFault(said, within) : findTextFault(said, within);
      if (fault !== undefined) return fault;
      i = end;
    }
  }
  return undefined;
}

function findNameFault(name: string, within: Open): string | undefined {
  if (name === '__proto__') return 'a member named __proto__ is not allowed';
  if (!isStorable(name)) return 'a member name holds NUL or a lone surrogate';
  within.names ??= new Set();
  if (within.names.has(name)) return `an object has the member ${show(name)} twice`;
  within.names.add(name);
  within.name = name;
  return undefined;
}

function findTextFault(text: string, within: Open | undefined): string | undefined {
  return isStorable(text) ? undefined : `the text of ${show(within?.name ?? '')} holds NUL or a lone surrogate`;
}

function show(name: string): string {
  return JSON.stringify(name.slice(0, NAME_SHOWN_MAX));
}

/** Whether PostgreSQL can store the text. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Returns the index of the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i += 1;
    else if (code === QUOTE) return i;
  }
  return text.length;
}

function readString(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}
