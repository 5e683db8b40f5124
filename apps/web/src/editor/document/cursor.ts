import type { Path } from './path.ts';
import type { TreeNode } from './tree.ts';

/** What the user is about to write at an offset, in a text that is probably incomplete. */
export interface Cursor {
  /** A member's name, or a value. */
  readonly place: 'key' | 'value';
  /** For a name: the path of its object. For a value: its own path, with the index it would take in a list. */
  readonly path: Path;
  /** The surrounding tree, to resolve the path. */
  readonly root: TreeNode | undefined;
  /** The range that a suggestion replaces. */
  readonly from: number;
  readonly to: number;
  /** Where the filter word begins: after an opening quote. */
  readonly wordFrom: number;
  /** Names that the object already has, except the one at the cursor. */
  readonly siblings: readonly string[];
  /** A colon follows: only the name is replaced. */
  readonly hasColon: boolean;
  /** Offset at which a comma has to be inserted first. */
  readonly commaBefore: number | undefined;
  readonly commaAfter: boolean;
  /** For a value in YAML: it begins on the line of its key. */
  readonly inline: boolean;
}
