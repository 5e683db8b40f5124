import { open } from 'node:fs/promises';
import { redactAdsSecrets } from './ads-secret.ts';

/**
 * Returns the last lines of a log file, oldest first, with masked ADS secrets. Reads at most `maxBytes` from the end. Returns an
 * empty list if the file does not exist.
 */
export async function tailLog(path: string, lines: number, maxBytes = 256 * 1024): Promise<string[]> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const start = Math.max(0, size - maxBytes);
      const buffer = Buffer.alloc(size - start);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
      const all = redactAdsSecrets(buffer.subarray(0, bytesRead).toString()).split('\n');
      if (start > 0) all.shift();
      return all.filter((line) => line !== '').slice(-lines);
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Returns the size of a log in bytes, or 0 if it cannot be read. */
export async function logSize(path: string): Promise<number> {
  try {
    const file = await open(path, 'r');
    try {
      return (await file.stat()).size;
    } finally {
      await file.close();
    }
  } catch {
    return 0;
  }
}

/** Returns the reason in the last output of an ended Envoy: its errors, or its last lines if it printed none. */
export function extractReason(lines: readonly string[], max = 8): string {
  const errors = lines.filter((line) =>
    /\[(critical|error)\]|^\[libprotobuf|Error|rror (initializ|adding)|cannot bind/.test(line),
  );
  const chosen = errors.length > 0 ? errors : lines;
  // Equal reasons must give equal texts, so time, thread and source line are removed.
  const plain = chosen.map((line) => line.replace(/^\[[^\]]*\]\[\d+\]\[\w+\]\[\w+\] (\[[^\]]*\] )?/, ''));
  return plain.slice(-max).join('\n').slice(-4_000);
}
