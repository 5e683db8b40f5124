import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'minor' | 'major' }) => void;

/** The engine's own function, kept out of the global scope; undefined where it cannot be had. */
function findCollector(): Collect | undefined {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : undefined');
  return typeof found === 'function' ? (found as Collect) : undefined;
}

let collect: Collect | undefined;

/** Gives back all that is not in use: for a thread that answers no requests. */
export function collectAll(): void {
  collect ??= findCollector();
  collect?.({ type: 'major' });
}
