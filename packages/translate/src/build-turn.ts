/** Thrown during a translation. Built documents are cached, and the translation continues when it is requested again. */
export class TurnIsOver extends Error {
  constructor() {
    super('the turn is over');
  }
}

/** Limits how long documents are built before others get a turn. */
export interface BuildTurn {
  /** Call before each build. Throws `TurnIsOver`. */
  beforeBuild(): void;
}

/** A turn of this many milliseconds. At least one document is built, so that every turn makes progress. */
export function createBuildTurn(limitMs: number): BuildTurn {
  const beganAt = performance.now();
  let builds = 0;
  return {
    beforeBuild: () => {
      if (builds > 0 && performance.now() - beganAt > limitMs) throw new TurnIsOver();
      builds += 1;
    },
  };
}
