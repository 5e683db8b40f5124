import type { Path } from './path.ts';
import type { TreeNode } from './tree.ts';

/** What somebody is about to write at an offset, in a text that is most likely not whole. */
export interface Cursor {
  /** A member's name, or a value. */
  readonly place: 'key' | 'value';
  /** Of a name: the object it will stand in. Of a value: the value itself, with the place it would take in a list. */
  readonly path: Path;
  /** The tree around it, for what the path runs through. */
  readonly root: TreeNode | undefined;
  /** What a suggestion replaces. */
  readonly from: number;
  readonly to: number;
  /** Where the letters that filter suggestions begin: behind an opening quote. */
  readonly wordFrom: number;
  /** Names that the object has already, but for the one at the cursor. */
  readonly siblings: readonly string[];
  /** A colon follows: only the name is replaced. */
  readonly hasColon: boolean;
  /** Offset at which a comma has to be added first. */
  readonly commaBefore: number | undefined;
  readonly commaAfter: boolean;
  /** Of a value in YAML: it begins on the line of its key. */
  readonly inline: boolean;
}
