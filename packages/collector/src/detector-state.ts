import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Detectors } from './detectors/detectors.ts';

/** Changes with the form of any state. */
const FORMAT = 1;
const BYTES_MAX = 32 * 1024 * 1024;
const PACKED_BYTES_MAX = 8 * 1024 * 1024;

/** Packs the learned states of a project's detectors. Undefined: too large. */
export function packDetectors(detectors: Detectors, nowMs: number): Uint8Array | undefined {
  const state = { format: FORMAT, writtenMs: nowMs, detectors: detectors.write(nowMs) };
  const packed = deflateRawSync(JSON.stringify(state), { level: 1 });
  return packed.length <= PACKED_BYTES_MAX ? packed : undefined;
}

/**
 * Gives detectors that have seen nothing yet what others have learned. States that have become too old are left out. Returns a complaint about what cannot be read: those
 * detectors then learn again.
 */
export function unpackDetectors(detectors: Detectors, bytes: Uint8Array, nowMs: number): string | undefined {
  try {
    const text = inflateRawSync(bytes, { maxOutputLength: BYTES_MAX }).toString('utf8');
    const state = JSON.parse(text) as unknown;
    if (!isState(state)) return 'the state of the detectors has no format';
    const { format, writtenMs, detectors: written } = state;
    if (format !== FORMAT) return `the state of the detectors has format ${format}, and this version reads ${FORMAT}`;
    const complaints = detectors.read(written, { writtenMs, nowMs });
    return complaints.length === 0 ? undefined : `the state of detectors is damaged: ${complaints.join(', ')}`;
  } catch (error) {
    return `the state of the detectors is damaged: ${error instanceof Error ? error.message : String(error)}`;
  }
}

interface State {
  readonly format: number;
  readonly writtenMs: number;
  readonly detectors: Readonly<Record<string, unknown>>;
}

function isState(value: unknown): value is State {
  if (typeof value !== 'object' || value === null) return false;
  const { format, writtenMs, detectors } = value as Partial<Record<keyof State, unknown>>;
  return (
    typeof format === 'number' && typeof writtenMs === 'number' && typeof detectors === 'object' && detectors !== null
  );
}
