import type { Noun } from '../../nouns/noun.ts';
import { PAIRS } from './pairs.ts';

/** `flotilla ha` with an option is the daemon on a host; see `programs.ts`. */
export const HA: Noun = {
  help: 'HA pairs of this project; with --config it runs the daemon of a host (flotilla ha --help)',
  place: 'project',
  verbs: { pairs: PAIRS },
};
