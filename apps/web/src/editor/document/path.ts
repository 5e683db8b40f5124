/** One step down a document: a key of an object or an index of a list. */
export type Step = string | number;
export type Path = readonly Step[];

const IDENTIFIER = /^[A-Za-z_@$][\w@$-]*$/;
const STEP = /\.?([^.[\]"]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** Formats a path as the API does: `a.b[0]["odd key"].c`; the root is `''`. */
export function formatPath(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (IDENTIFIER.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** Parses such a path. An invalid part ends it: its beginning still leads near the place. */
export function parsePath(text: string): Path {
  const steps: Step[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const match = STEP.exec(text);
    if (!match) break;
    const [, name, index, quoted] = match;
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else steps.push(unquote(quoted ?? ''));
  }
  return steps;
}

function unquote(inner: string): string {
  try {
    const value: unknown = JSON.parse(`"${inner}"`);
    return typeof value === 'string' ? value : inner;
  } catch {
    return inner;
  }
}
