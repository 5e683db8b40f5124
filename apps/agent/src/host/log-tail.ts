import { open } from 'node:fs/promises';

/** The last lines of a log file, oldest first; empty when there is none. Reads at most `maxBytes` from its end. */
export async function tailLog(path: string, lines: number, maxBytes = 256 * 1024): Promise<string[]> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const start = Math.max(0, size - maxBytes);
      const buffer = Buffer.alloc(size - start);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
      const all = buffer.subarray(0, bytesRead).toString().split('\n');
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

/** Where a log stands now, so that only what comes after is read. */
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

/** What an Envoy that ended said last: its errors if it named any, else its last words. */
export function lastWords(lines: readonly string[], max = 8): string {
  const telling = lines.filter((line) =>
    /\[(critical|error)\]|^\[libprotobuf|Error|rror (initializ|adding)|cannot bind/.test(line),
  );
  const chosen = telling.length > 0 ? telling : lines;
  // Without time, thread and source line the same reason reads the same every time
  const plain = chosen.map((line) => line.replace(/^\[[^\]]*\]\[\d+\]\[\w+\]\[\w+\] (\[[^\]]*\] )?/, ''));
  return plain.slice(-max).join('\n').slice(-4_000);
}
