/** Of documents that people write, none comes near. Whoever walks through a value may do so by calling itself. */
export const DEPTH_MAX = 1000;

/** Of a name that an answer repeats. */
const NAME_SHOWN_MAX = 128;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = /[ \t\n\r]*:/y;

/** An object or a list that has begun and not ended. */
interface Open {
  /** Of the members so far; none in lists. */
  names?: Set<string>;
  /** The member whose value comes next, or came last. */
  name: string;
}

/**
 * Why a JSON text is not taken though JSON.parse took it; undefined where it is: nesting, a member that stands twice (JSON.parse keeps
 * one and says nothing), what PostgreSQL's text and jsonb cannot hold, and the one name that JavaScript abuses. One walk over the text,
 * because a reviver costs ten times as much, and 8 MiB of little objects would hold up everybody for seconds.
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

/** Whether the database can hold the text. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Where the string that begins at `start` has its closing quote. */
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
