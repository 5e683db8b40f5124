import { diffJson } from '../../../changes/diff-json.ts';
import type { Difference, RecordChange } from '../../../changes/plan.ts';
import { listMembers } from '../../../changes/review/split-changes.ts';
import { readText } from '../../../yaml/read-text.ts';

interface Versions {
  /** Empty: a new policy. */
  readonly before: string;
  readonly after: string;
  readonly beforeLabel: string;
  /** The differences of the dry run, in which the text is one value. */
  readonly diff: readonly Difference[] | undefined;
}

const TEXT = 'text';

/** Returns the change of a policy: the text, its differences by field, and those of the description and the files. */
export function toPolicyChange({ before, after, beforeLabel, diff = [] }: Versions): RecordChange {
  const others = listMembers(diff).filter(({ path }) => path !== TEXT);
  return {
    diff: [...listFields(before, after), ...others],
    text: { before, after, language: 'yaml', beforeLabel, members: ['spec', 'metadata', 'kind', 'apiVersion'] },
  };
}

/** Returns nothing if one of the texts is unreadable. */
function listFields(before: string, after: string): readonly Difference[] {
  const [was, is] = [readText(before), readText(after)];
  return was && is ? diffJson(was.value ?? {}, is.value ?? {}) : [];
}
