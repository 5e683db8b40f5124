import { open } from 'node:fs/promises';
import { redactAdsSecrets } from './ads-secret.ts';

/**
 * The last lines of a log file without ADS secrets, oldest first; empty without a file. Reads at most `maxBytes` from
 * its end.
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

/** Current size of a log, to read only what follows. */
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

/** The last output of an ended Envoy: its errors, or else its last lines. */
export function lastWords(lines: readonly string[], max = 8): string {
  const telling = lines.filter((line) =>
    /\[(critical|error)\]|^\[libprotobuf|Error|rror (initializ|adding)|cannot bind/.test(line),
  );
  const chosen = telling.length > 0 ? telling : lines;
  // Without time, thread and source line, equal reasons give equal text
  const plain = chosen.map((line) => line.replace(/^\[[^\]]*\]\[\d+\]\[\w+\]\[\w+\] (\[[^\]]*\] )?/, ''));
  return plain.slice(-max).join('\n').slice(-4_000);
}
