const HOPS_MAX = 16;

export type Resolved =
  | { readonly kind: 'value'; readonly value: Readonly<Record<string, unknown>> }
  /** The reference leads to another file, to nothing, or around in a circle. */
  | { readonly kind: 'unknown'; readonly reference: string; readonly why: string };

/** Members of parsed documents are read as own members only: a document may have one named `constructor`. */
export function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Follows `$ref` within the document. A value that is no object is an empty one. */
export function resolveReference(root: unknown, value: unknown): Resolved {
  let current = value;
  for (let hops = 0; hops <= HOPS_MAX; hops += 1) {
    const reference = memberOf(current, '$ref');
    if (typeof reference !== 'string') return { kind: 'value', value: isRecord(current) ? current : {} };
    if (!reference.startsWith('#')) return { kind: 'unknown', reference, why: 'is in another file, which is not read' };
    current = findPointer(root, reference.slice(1));
    if (current === undefined) return { kind: 'unknown', reference, why: 'leads nowhere' };
  }
  return { kind: 'unknown', reference: String(memberOf(value, '$ref')), why: 'refers to itself' };
}

/** RFC 6901, in the form for fragments. */
function findPointer(root: unknown, pointer: string): unknown {
  if (pointer === '') return root;
  let current = root;
  for (const part of pointer.slice(1).split('/')) {
    const name = decodePart(part);
    current = Array.isArray(current) && /^\d+$/.test(name) ? current[Number(name)] : memberOf(current, name);
  }
  return current;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}
