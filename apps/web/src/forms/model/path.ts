/** Keys in the spelling of the document and indexes of lists, from the root. */
export type Path = readonly (string | number)[];

const IDENTIFIER = /^[A-Za-z_@$][\w@$-]*$/;
const STEP = /\.?([A-Za-z_@$][\w@$-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;

/** Formats `a.b[0]["odd key"].c`, as the server writes paths. The root is `''`. */
export function formatPath(path: Path): string {
  let text = '';
  for (const key of path) text = joinPath(text, key);
  return text;
}

/** Appends one step to the path. */
export function joinPath(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`;
  if (IDENTIFIER.test(key)) return parent === '' ? key : `${parent}.${key}`;
  return `${parent}[${JSON.stringify(key)}]`;
}

/** Parses the longest valid prefix: a partly invalid path still leads near its place. */
export function parsePath(text: string): Path {
  const path: (string | number)[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const match = STEP.exec(text);
    if (!match) break;
    if (match[1] !== undefined) path.push(match[1]);
    else if (match[2] !== undefined) path.push(Number(match[2]));
    else path.push(JSON.parse(match[3] ?? '""') as string);
  }
  return path;
}

/** Whether `path` is `ancestor` or inside it. */
export function isWithin(path: string, ancestor: string): boolean {
  if (ancestor === '' || path === ancestor) return true;
  const next = path.charAt(ancestor.length);
  return path.startsWith(ancestor) && (next === '.' || next === '[');
}

/** Lists the prefixes: `a.b[0]` gives `''`, `a`, `a.b` and `a.b[0]`. */
export function listAncestors(text: string): string[] {
  const ancestors = [''];
  for (const key of parsePath(text)) ancestors.push(joinPath(ancestors.at(-1) ?? '', key));
  return ancestors;
}

/** Moves the path from one prefix to another; undefined if it is not inside `from`. */
export function movePath(path: string, from: string, to: string): string | undefined {
  return isWithin(path, from) ? to + path.slice(from.length) : undefined;
}
