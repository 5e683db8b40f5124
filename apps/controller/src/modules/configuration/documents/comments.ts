import type { JsonObject } from '@flotilla/envoy-api';
import type { CommentEntry } from './tables.ts';

/** Converts the paths of comments to the stored spelling; drops comments on members that do not exist. */
export function placeComments(resource: JsonObject, comments: readonly CommentEntry[]): CommentEntry[] {
  return comments.flatMap((comment) => {
    const path = findPath(resource, comment.path);
    return path ? [{ ...comment, path }] : [];
  });
}

function findPath(root: unknown, path: CommentEntry['path']): CommentEntry['path'] | undefined {
  let node = root;
  const found: CommentEntry['path'] = [];
  for (const step of path) {
    if (typeof node !== 'object' || node === null) return undefined;
    const isList = Array.isArray(node);
    if (isList !== (typeof step === 'number')) return undefined;
    // Users may write camelCase; fields are stored in snake_case.
    const known = [String(step), toSnake(String(step))].find((name) => Object.hasOwn(node as object, name));
    if (known === undefined) return undefined;
    found.push(isList ? Number(known) : known);
    node = (node as Record<string, unknown>)[known];
  }
  return found;
}

function toSnake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Comments by field path, for diffs. */
export function describeComments(comments: readonly CommentEntry[]): Record<string, string> {
  const described: Record<string, string> = {};
  for (const { path, place, text } of comments) {
    const where = path.reduce<string>(
      (before, step) => (typeof step === 'number' ? `${before}[${step}]` : before === '' ? step : `${before}.${step}`),
      '',
    );
    described[`${where || 'document'} (${place})`] = text.trim();
  }
  return described;
}
