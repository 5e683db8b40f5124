import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'minor' | 'major' }) => void;

/** V8's own function, without exposing it globally; undefined if it is unavailable. */
function findCollector(): Collect | undefined {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : undefined');
  return typeof found === 'function' ? (found as Collect) : undefined;
}

let collect: Collect | undefined;

/** Runs a full collection: for threads that answer no requests. */
export function collectAll(): void {
  collect ??= findCollector();
  collect?.({ type: 'major' });
}
