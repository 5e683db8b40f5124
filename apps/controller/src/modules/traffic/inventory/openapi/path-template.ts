/** A path of an OpenAPI document: every parameter has a name of its own. */
export interface PathTemplate {
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly format: string | undefined }[];
  /** Equal for paths that differ only in the names of their parameters, which OpenAPI treats as identical. */
  readonly shape: string;
}

const PLACEHOLDER = /\{([a-z]+)\}/g;
const SUFFIXES: Readonly<Record<string, string>> = { token: 'Token', secret: 'Secret', pii: 'Value', dynamic: '' };

/** Names parameters by the literal segment before them: `/users/{id}/orders/{id}` becomes `/users/{userId}/orders/{orderId}`. */
export function toPathTemplate(normalizedPath: string): PathTemplate {
  const parameters: { name: string; format: string | undefined }[] = [];
  const used = new Set<string>();
  let before = '';
  const segments = normalizedPath.split('/').map((segment) => {
    const named = segment.replace(PLACEHOLDER, (_, kind: string) => {
      const name = findFree(nameParameter(before, kind), used);
      parameters.push({ name, format: kind === 'uuid' ? 'uuid' : undefined });
      return `{${name}}`;
    });
    if (!segment.includes('{')) before = segment;
    return escapeSegment(named);
  });
  const path = segments.join('/');
  return { path, parameters, shape: path.replace(/\{[^}]*\}/g, '{}') };
}

function nameParameter(before: string, kind: string): string {
  const words = before.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const [first = '', ...rest] = words.map((word, i) => (i === words.length - 1 ? toSingular(word) : word));
  const base = lowerFirst(first) + rest.map(upperFirst).join('');
  // Versions and numbers name nothing.
  if (!/^[a-z][A-Za-z0-9]*$/.test(base) || /^v\d+$/.test(base)) return kind === 'dynamic' ? 'value' : kind;
  return `${base}${SUFFIXES[kind] ?? 'Id'}`;
}

function toSingular(word: string): string {
  if (/(?:ss|us|is)$/i.test(word) || word.length < 4) return word;
  if (/ies$/i.test(word)) return word.replace(/ies$/i, 'y');
  if (/(?:ch|sh|x|ss)es$/i.test(word)) return word.slice(0, -2);
  return word.replace(/s$/i, '');
}

const lowerFirst = (word: string) => word.slice(0, 1).toLowerCase() + word.slice(1);
const upperFirst = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);

function findFree(name: string, used: Set<string>): string {
  let free = name;
  for (let i = 2; used.has(free); i += 1) free = `${name}${i}`;
  used.add(free);
  return free;
}

/** A path is part of an address: characters that an address may not contain are escaped. */
function escapeSegment(segment: string): string {
  return segment.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@%{}]/gu, (character) => encodeURIComponent(character));
}
