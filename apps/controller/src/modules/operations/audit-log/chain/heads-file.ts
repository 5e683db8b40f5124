import { Buffer } from 'node:buffer';
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SignedHead } from './checkpoint-store.ts';

/** Size at which the file becomes `<file>.1`. Small enough to be read whole for a verification. */
const ROTATE_BYTES = 8 * 1024 * 1024;

/**
 * Heads of chains outside the database, one line of JSON each: `{project, seq, hash, at, key_id, signature}` with hash
 * in hex and signature in base64; `project` is all zeros for the chain without a project.
 */
export class HeadsFile {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** The heads are on disk when it resolves. */
  async append(heads: readonly SignedHead[]): Promise<void> {
    if (heads.length === 0) return;
    await mkdir(dirname(this.#file), { recursive: true });
    const size = await stat(this.#file).then(
      (found) => found.size,
      () => 0,
    );
    let lines = heads;
    if (size >= ROTATE_BYTES) {
      // Repeats all heads, so that idle chains are not lost with the rotated file.
      lines = [...(await this.readLast()).values(), ...heads];
      await rename(this.#file, `${this.#file}.1`);
    }
    const handle = await open(this.#file, 'a', 0o600);
    try {
      // Each line starts with a line break, so that a line truncated by a crash does not spoil the next. appendFile
      // fails on a full disk, where a plain write would end early without an error.
      await handle.appendFile(lines.map(formatHead).join(''));
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  /** The highest head of each chain. Ignores a truncated line. */
  async readLast(): Promise<Map<string, SignedHead>> {
    const last = new Map<string, SignedHead>();
    for (const file of [`${this.#file}.1`, this.#file]) {
      const text = await readFile(file, 'utf8').catch(() => '');
      for (const head of parseHeads(text)) {
        if (head.seq >= (last.get(head.projectKey)?.seq ?? 0)) last.set(head.projectKey, head);
      }
    }
    return last;
  }
}

/** A head as JSON, for the file and for other receivers. */
export function toHeadJson({ projectKey, seq, hash, at, keyId, signature }: SignedHead): object {
  return {
    project: projectKey,
    seq,
    hash: hash.toString('hex'),
    at: at.toISOString(),
    key_id: keyId,
    signature: signature.toString('base64'),
  };
}

function formatHead(head: SignedHead): string {
  return `\n${JSON.stringify(toHeadJson(head))}`;
}

function parseHeads(text: string): SignedHead[] {
  return text.split('\n').flatMap((line) => {
    try {
      const { project, seq, hash, at, key_id: keyId, signature } = JSON.parse(line) as Record<string, string>;
      if (!project || !hash || !at || !keyId || !signature) return [];
      return {
        projectKey: project,
        seq: Number(seq),
        hash: Buffer.from(hash, 'hex'),
        at: new Date(at),
        keyId,
        signature: Buffer.from(signature, 'base64'),
      };
    } catch {
      return [];
    }
  });
}
