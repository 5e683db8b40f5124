import { isMap, isScalar, parseDocument, visit } from 'yaml';

/** Reading a larger text would hold up other requests. */
export const BLOCK_TEXT_MAX_CHARS = 256 * 1024;

export interface BlockText {
  /** Parts of the policy in mode `detect`; null if the text is too large to be read here. */
  readonly detectParts: number | null;
  /** The text with mode `block` in their place; null if nothing detects. Comments stay. */
  readonly text: string | null;
}

/** `text` is a stored policy. */
export function toBlockText(text: string): BlockText {
  if (text.length > BLOCK_TEXT_MAX_CHARS) return { detectParts: null, text: null };
  const document = parseDocument(text);
  let detectParts = 0;
  visit(document, {
    Map(key, node, path) {
      // Engines have no modes: a value named `mode` elsewhere is no mode of a policy.
      const parent = path.at(-1);
      const isHolder = key === 'value' && typeof parent === 'object' && parent !== null && 'key' in parent;
      const name = isHolder && isScalar(parent.key) ? parent.key.value : undefined;
      if (name === 'engines') return visit.SKIP;
      if (name !== 'defaults' && name !== 'policy') return undefined;
      const mode = isMap(node) ? node.get('mode', true) : undefined;
      if (!isScalar(mode) || mode.value !== 'detect') return undefined;
      mode.value = 'block';
      detectParts += 1;
      return undefined;
    },
  });
  return { detectParts, text: detectParts === 0 ? null : document.toString({ lineWidth: 0 }) };
}
