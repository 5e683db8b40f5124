const COLON = /[ \t\n\r]*:/y;

/** The first name that an object of the text has twice, of which JSON.parse keeps one and says nothing. The text is JSON that it has taken. */
export function findRepeatedMember(text: string): string | undefined {
  const open: Array<Set<string>> = [];
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i];
    if (char === '{' || char === '[') open.push(new Set());
    else if (char === '}' || char === ']') open.pop();
    else if (char === '"') {
      const start = i;
      i = endOfString(text, start);
      COLON.lastIndex = i + 1;
      if (!COLON.test(text)) continue;
      const name = readString(text.slice(start, i + 1));
      const names = open.at(-1);
      if (names?.has(name)) return name;
      names?.add(name);
    }
  }
  return undefined;
}

/** Where the string that begins at `start` has its closing quote. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '"') return i;
  }
  return text.length;
}

function readString(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}
