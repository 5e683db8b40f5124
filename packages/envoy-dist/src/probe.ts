import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { err, ok, type Result, sleep } from '@flotilla/kit';

const PROBE_TIMEOUT_MS = 15_000;

export interface Probe {
  readonly version: string;
  readonly hotRestartVersion: string;
}

/** Determines the version of a binary. The error says why it does not run or cannot be identified. */
export async function probeEnvoy(path: string): Promise<Result<Probe, string>> {
  const banner = await run(path, ['--version']);
  if (!banner.ok) return banner;
  // "envoy  version: <commit>/1.39.3/Clean/RELEASE/BoringSSL"; development builds say 1.40.0-dev
  const version = /version:\s+[^/\s]*\/(\d+\.\d+\.\d+)(?:-[\w.]+)?\//.exec(banner.value)?.[1];
  if (!version)
    return err(`--version printed ${JSON.stringify(banner.value.slice(0, 200))}, which names no Envoy version`);
  const hotRestart = await run(path, ['--hot-restart-version']);
  if (!hotRestart.ok) return hotRestart;
  return ok({ version, hotRestartVersion: hotRestart.value });
}

async function run(path: string, args: readonly string[]): Promise<Result<string, string>> {
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await new Promise<Result<string, string>>((resolve) => {
      execFile(path, args, { timeout: PROBE_TIMEOUT_MS, maxBuffer: 1 << 20 }, (error, stdout, stderr) => {
        if (error) resolve(err(`${error.code ?? 'failed'}: ${error.message.split('\n')[0]}`));
        // The output stream depends on the option
        else resolve(ok(stdout.trim() || stderr.trim()));
      });
    });
    // A child that was forked elsewhere in this process while the file was open for writing keeps it busy for a moment
    if (outcome.ok || attempt >= 20 || !outcome.error.startsWith('ETXTBSY')) return outcome;
    await sleep(50);
  }
}

/** SHA-256 of a file in lowercase hexadecimal, read in chunks. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest('hex');
}
