import type { ServiceIdentity } from '../identity.ts';
import { runCheck } from '../units/run-check.ts';

const TIMEOUT_MS = 60_000;
const PROBLEM_MAX_CHARS = 8_000;

export interface ValidationOptions {
  /** Command that runs `flotilla`. */
  readonly program: readonly string[];
  readonly identity: ServiceIdentity | undefined;
  readonly workDir: string;
  readonly env: Record<string, string>;
  readonly signal: AbortSignal;
}

/**
 * Lets the filter validate the bundle in `folder`. Returns the problems as text, or undefined if there are none or after an abort. Rejects if somebody else
 * ended the filter: the bundle may be valid.
 */
export async function validateBundle(
  folder: string,
  { program, identity, workDir, env, signal }: ValidationOptions,
): Promise<string | undefined> {
  const command = [...program, 'shield', 'validate', folder];
  const checked = await runCheck({ command, identity, workDir, env, timeoutMs: TIMEOUT_MS, signal });
  if (checked.ok || checked.error.type === 'aborted') return undefined;
  if (checked.error.type === 'killed') throw new Error(`the policy could not be checked: ${checked.error.message}`);
  const { stderr, stdout, message } = checked.error;
  // Paths in errors are relative to the bundle, not to this host.
  return (stderr.trim() || stdout.trim() || message).slice(0, PROBLEM_MAX_CHARS).replaceAll(`${folder}/`, '');
}
