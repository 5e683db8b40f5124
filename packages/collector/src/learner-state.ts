import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Learner, type LearnerState, readLearnerState } from '@flotilla/inventory';

/** A larger state is not stored: it is learned again after a restart. */
const PLACES_MAX = 400_000;
const BYTES_MAX = 256 * 1024 * 1024;

/** Undefined: too large. */
export function packLearner(learner: Learner): Uint8Array | undefined {
  if (learner.nodes > PLACES_MAX) return undefined;
  return deflateRawSync(JSON.stringify(learner.snapshot()), { level: 1 });
}

/** Returns a complaint about what is no state of this version; the project then learns again. */
export function unpackLearner(bytes: Uint8Array): Learner | string {
  const state = unpackState(bytes);
  return typeof state === 'string' ? state : Learner.restore(state);
}

export function unpackState(bytes: Uint8Array): LearnerState | string {
  try {
    return readLearnerState(JSON.parse(inflateRawSync(bytes, { maxOutputLength: BYTES_MAX }).toString('utf8')));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Joins the states of several collectors. Those of other versions are left out. */
export function restoreLearned(learned: readonly Uint8Array[]): Learner | undefined {
  const states = learned.map(unpackState).filter((state) => typeof state !== 'string');
  if (states.length === 0) return undefined;
  const learner = new Learner();
  learner.adopt(states);
  return learner;
}
