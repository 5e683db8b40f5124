import type { Path } from './path.ts';
import type { TreeNode } from './tree.ts';

/** Describes what the user is about to write at an offset, in a text that is probably incomplete. */
export interface Cursor {
  /** Whether a member's name or a value is expected. */
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
  /** Whether a colon follows: then only the name is replaced. */
  readonly hasColon: boolean;
  /** Offset at which a comma has to be inserted first. */
  readonly commaBefore: number | undefined;
  readonly commaAfter: boolean;
  /** Whether a value in YAML begins on the line of its key. */
  readonly inline: boolean;
}
