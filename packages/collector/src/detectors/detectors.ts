import type { FlagSet } from '../flag-set.ts';
import type { RequestFacts } from '../request-facts.ts';
import { DamagedStateError, type PlainState, type StateAge } from '../windows/plain-state.ts';
import { chooseDetectors, type DetectionSettings } from './create-detectors.ts';
import type { Detector } from './detector.ts';

interface Slot {
  readonly options: string;
  readonly detector: Detector;
}

/** The states of a detector, and the options that it had. */
export interface PlainDetector {
  readonly options: string;
  readonly states: readonly PlainState[];
}

/** Values of the states of one detector. Its strongest keys are written. */
const VALUES_MAX = 40_000;

/** The detectors of a project that are switched on. */
export class Detectors {
  #slots: readonly Slot[] = [];

  constructor(detection: DetectionSettings, salt: number) {
    this.update(detection, salt);
  }

  /** Detectors whose options did not change keep what they have seen. */
  update(detection: DetectionSettings, salt: number): void {
    const before = this.#slots;
    this.#slots = chooseDetectors(detection, salt).map(({ options, create }) => {
      const detector = create();
      const known = before.find((slot) => slot.detector.name === detector.name && slot.options === options);
      return known ?? { options, detector };
    });
  }

  observe(facts: RequestFacts, flags: FlagSet): void {
    for (const { detector } of this.#slots) detector.observe(facts, flags);
  }

  get sizes() {
    return this.#slots.map(({ detector: { name, states } }) => ({ name, size: states.size, refused: states.refused }));
  }

  /** Forgets what is normal for these operations. */
  forgetOperations(operations: 'all' | readonly string[]): void {
    for (const { detector } of this.#slots) {
      if (!detector.isBaseline) continue;
      if (operations === 'all') detector.states.clear();
      else for (const id of operations) detector.states.delete(id);
    }
  }

  write(nowMs: number): Record<string, PlainDetector> {
    return Object.fromEntries(
      this.#slots.map(({ options, detector: { name, states } }) => [
        name,
        { options, states: states.write(nowMs, VALUES_MAX) },
      ]),
    );
  }

  /** Takes the states of detectors that still have the same options. Returns complaints about detectors whose states are damaged: these begin without any. */
  read(plain: Readonly<Record<string, unknown>>, age: StateAge): string[] {
    const complaints: string[] = [];
    for (const { options, detector } of this.#slots) {
      const written = plain[detector.name];
      if (typeof written !== 'object' || written === null) continue;
      const { options: theirs, states } = written as Partial<Record<keyof PlainDetector, unknown>>;
      if (theirs !== options) continue;
      try {
        detector.states.read(states, age);
      } catch (error) {
        if (!(error instanceof DamagedStateError)) throw error;
        complaints.push(`${detector.name}: ${error.message}`);
      }
    }
    return complaints;
  }
}
