import type { Buffer } from 'node:buffer';

export const challengeContext = (hash: Buffer) => `challenge/${hash.toString('hex')}`;
