import type { Command } from 'commander';
import { readSecret } from './read-secret.ts';
import type { Runner } from './runner.ts';
import type { CommonOptions } from './scope-options.ts';

/** What it takes to read a backup. */
export interface OpeningOptions extends CommonOptions {
  readonly passphraseStdin?: boolean;
  readonly trustKey?: string;
}

export function withOpening(command: Command): Command {
  return command
    .option('--passphrase-stdin', 'the pass phrase is on standard input')
    .option('--trust-key <fingerprint>', 'believe another installation that has signed it');
}

export async function readPassphrase({ io }: Runner, { passphraseStdin }: OpeningOptions) {
  return passphraseStdin ? { passphrase: await readSecret(io) } : {};
}

export async function readOpening(runner: Runner, options: OpeningOptions) {
  const { trustKey } = options;
  return { ...(await readPassphrase(runner, options)), ...(trustKey !== undefined && { trust_key: trustKey }) };
}
