import { isScalar, parseDocument } from 'yaml';
import { refuse } from './choices.ts';
import type { RestorablePolicy } from './content.ts';

/** The policy by another name, which is written in its text as well; everything else of the text stays as it is. */
export function renamePolicy(body: RestorablePolicy, to: string): RestorablePolicy {
  const { name, text } = body;
  const written = parseDocument(text).getIn(['metadata', 'name'], true);
  // Behind an alias or an anchor it is the value of something else as well.
  if (!isScalar(written) || !written.range || written.anchor !== undefined || written.value !== name)
    throw refuse('policies', name, 'its text does not say its name in one place');
  const [start, end] = written.range;
  // A block scalar takes the end of its line with it.
  const isBlock = text.slice(start, end).endsWith('\n');
  const changed = `${text.slice(0, start)}${JSON.stringify(to)}${isBlock ? '\n' : ''}${text.slice(end)}`;
  return { ...body, name: to, text: changed };
}
