import type { BlockReason, BlockVerdict } from '../engine.ts';

export const MISSING: BlockVerdict = { kind: 'block', reason: 'apikey.missing', severity: 'high', status: 403 };
export const UNKNOWN: BlockVerdict = { ...MISSING, reason: 'apikey.unknown' };
export const EXPIRED: BlockVerdict = { ...MISSING, reason: 'apikey.expired' };
export const METHOD: BlockVerdict = { ...MISSING, reason: 'apikey.method' };
export const SCOPE: BlockVerdict = { ...MISSING, reason: 'apikey.scope' };
export const EXCEEDED: BlockVerdict = { kind: 'block', reason: 'apikey.rate', severity: 'low', status: 429 };

export const API_KEY_REASONS: readonly BlockReason[] = [MISSING, UNKNOWN, EXPIRED, METHOD, SCOPE, EXCEEDED];
