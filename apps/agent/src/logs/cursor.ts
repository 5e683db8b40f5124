import { createHash } from 'node:crypto';
import { LOG_LIMITS } from '@flotilla/proto/commands';
import type { LogPlace } from './types.ts';

/** The places of all logs of a target, and the direction in which a command continues. */
export interface LogCursor {
  readonly direction: 'older' | 'newer';
  readonly places: ReadonlyMap<string, LogPlace>;
}

const PLACES_MAX = 64;
const GENERATION = /^[0-9a-f]{16}$/;
/** A cursor as journalctl prints it. */
const JOURNAL_PLACE = /^[<>][A-Za-z0-9=;]{1,512}$/;

/** Cursors of one target are refused for another: `target` names the host, the log and its type. */
export function encodeCursor(target: string, { direction, places }: LogCursor): string {
  const content = { t: digest(target), d: direction === 'older' ? 'o' : 'n', p: [...places] };
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** Undefined for a text that is no cursor of this target. */
export function decodeCursor(target: string, text: string): LogCursor | undefined {
  if (text.length > LOG_LIMITS.cursorMax || !/^[\w-]+$/.test(text)) return undefined;
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (typeof content !== 'object' || content === null) return undefined;
  const { t, d, p } = content as Record<string, unknown>;
  if (t !== digest(target) || (d !== 'o' && d !== 'n') || !Array.isArray(p) || p.length > PLACES_MAX) return undefined;
  const places = new Map<string, LogPlace>();
  for (const one of p as unknown[]) {
    const [id, place] = Array.isArray(one) ? (one as unknown[]) : [];
    if (typeof id !== 'string' || !isPlace(place)) return undefined;
    places.set(id, place);
  }
  return { direction: d === 'o' ? 'older' : 'newer', places };
}

function isPlace(value: unknown): value is LogPlace {
  if (typeof value !== 'object' || value === null) return false;
  const { g, o, c } = value as Record<string, unknown>;
  if (c !== undefined) return typeof c === 'string' && (c === '' || JOURNAL_PLACE.test(c));
  const isGeneration = g === null || (typeof g === 'string' && GENERATION.test(g));
  return isGeneration && Number.isSafeInteger(o) && (o as number) >= 0;
}

function digest(target: string): string {
  return createHash('sha256').update(target).digest('hex').slice(0, 16);
}
