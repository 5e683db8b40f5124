import { nodeAt } from '../yaml/places.ts';
import { readText } from '../yaml/read-text.ts';
import { parsePlace } from './place.ts';

/** The line of the text, 1-based, at which a part of the form is written; undefined for a part that is not. */
export function lineOfPlace(text: string, place: string): number | undefined {
  const { isDefaults, domain, route } = parsePlace(place);
  const path = isDefaults
    ? ['spec', 'defaults']
    : domain === undefined
      ? undefined
      : ['spec', 'domains', domain, ...(route === undefined ? [] : ['routes', route])];
  const document = path && readText(text)?.document;
  const offset = document && nodeAt(document, path)?.range?.[0];
  return offset === undefined ? undefined : text.slice(0, offset).split('\n').length;
}
