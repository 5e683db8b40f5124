import type { DocumentComment } from '@flotilla/contract';
import { asList, asRecord } from '../../../yaml/plain.ts';
import { alignItems } from './list-edits.ts';

type Path = DocumentComment['path'];

/** Moves the comments of one resource to the same fields and items of another. Drops comments of removed ones. */
export function moveComments(
  comments: readonly DocumentComment[],
  before: unknown,
  after: unknown,
): readonly DocumentComment[] {
  const aligned = new Map<unknown, (number | undefined)[]>();
  return comments.flatMap((comment) => {
    const path = movePath(comment.path, { before, after, aligned });
    return path ? [{ ...comment, path }] : [];
  });
}

interface Between {
  readonly before: unknown;
  readonly after: unknown;
  /** Cache of aligned lists. */
  readonly aligned: Map<unknown, (number | undefined)[]>;
}

function movePath([step, ...rest]: Path, { before, after, aligned }: Between): Path | undefined {
  if (step === undefined) return [];
  if (typeof step === 'number') {
    const [from, to] = [asList(before), asList(after)];
    if (!from || !to) return undefined;
    const places = aligned.get(from) ?? alignItems(from, to);
    aligned.set(from, places);
    const place = places[step];
    if (place === undefined) return undefined;
    const inner = movePath(rest, { before: from[step], after: to[place], aligned });
    return inner && [place, ...inner];
  }
  const [from, to] = [asRecord(before), asRecord(after)];
  if (!from || !to || !Object.hasOwn(to, step)) return undefined;
  const inner = movePath(rest, { before: from[step], after: to[step], aligned });
  return inner && [step, ...inner];
}
