import { createHash, randomBytes } from 'node:crypto';

/** The file of a support bundle on a host that answers as the agent does. */
export class HostFile {
  readonly id = 'ab'.repeat(16);
  readonly content: Buffer;
  readonly sha256: string;

  constructor(bytes: number) {
    this.content = randomBytes(bytes);
    this.sha256 = createHash('sha256').update(this.content).digest('hex');
  }

  /** The result of SUB_BUNDLE_READ. */
  read({ offset, length }: { readonly offset: number; readonly length: number }, more: object = {}) {
    const data = this.content.subarray(offset, offset + length);
    return {
      artifact: {
        artifact_id: this.id,
        kind: 'SUPPORT_BUNDLE',
        state: 'READY',
        created_at: '2026-01-02T03:04:05.000Z',
        size_bytes: this.content.length,
        sha256: this.sha256,
      },
      data: data.toString('base64'),
      offset,
      eof: offset + data.length >= this.content.length,
      ...more,
    };
  }
}
