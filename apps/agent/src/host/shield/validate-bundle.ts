import type { ServiceIdentity } from '../identity.ts';
import { runCheck } from '../units/run-check.ts';

const TIMEOUT_MS = 60_000;
const PROBLEM_MAX_CHARS = 8_000;

export interface ValidationOptions {
  /** What runs `flotilla`. */
  readonly program: readonly string[];
  readonly identity: ServiceIdentity | undefined;
  readonly workDir: string;
  readonly env: Record<string, string>;
  readonly signal: AbortSignal;
}

/** The filter's own validation of a bundle in `folder`: its problems as text; undefined when there are none, or after an abort. */
export async function validateBundle(
  folder: string,
  { program, identity, workDir, env, signal }: ValidationOptions,
): Promise<string | undefined> {
  const command = [...program, 'shield', 'validate', folder];
  const checked = await runCheck({ command, identity, workDir, env, timeoutMs: TIMEOUT_MS, signal });
  if (checked.ok || checked.error.type === 'aborted') return undefined;
  const { stderr, stdout, message } = checked.error;
  // The place of an error is told within the bundle, not on this host
  return (stderr.trim() || stdout.trim() || message).slice(0, PROBLEM_MAX_CHARS).replaceAll(`${folder}/`, '');
}
